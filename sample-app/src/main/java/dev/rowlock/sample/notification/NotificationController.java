package dev.rowlock.sample.notification;

import java.time.OffsetDateTime;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The latest notifications. */
@RestController
class NotificationController {

    private final JdbcClient jdbc;

    NotificationController(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    record Notification(long id, long importId, String message, OffsetDateTime sentAt) {}

    @GetMapping("/notifications")
    List<Notification> latest() {
        return jdbc.sql("SELECT id, import_id, message, sent_at FROM notification ORDER BY id DESC LIMIT 20")
                .query(Notification.class)
                .list();
    }
}
