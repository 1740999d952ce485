package dev.rowlock.sample.notification;

import dev.rowlock.queue.JobListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** "Sends" a notification: writes it to a table, which the page shows. */
@Component
class NotificationListener {

    private final JdbcClient jdbc;

    NotificationListener(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @JobListener(transactional = true)
    void send(SendNotification notification) {
        jdbc.sql("INSERT INTO notification (import_id, message) VALUES (:importId, :message)")
                .paramSource(notification)
                .update();
    }
}
