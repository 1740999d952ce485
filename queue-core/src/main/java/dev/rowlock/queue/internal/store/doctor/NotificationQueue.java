package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.util.List;

/** How full the queue of notifications is, if at least this part of it, with the oldest transactions, one of which may hold it. */
public record NotificationQueue(double part) implements Look {

    @Override
    public String sql() {
        return """
                SELECT round(CAST(q.part * 100 AS numeric), 4) AS percent, a.pid, a.usename AS role, a.state, clock_timestamp() - a.xact_start AS open_for
                  FROM (SELECT pg_notification_queue_usage() AS part) q
                  LEFT JOIN LATERAL (SELECT * FROM pg_stat_activity s
                                      WHERE s.xact_start IS NOT NULL AND s.backend_type = 'client backend' AND s.pid <> pg_backend_pid()) a ON true
                 WHERE q.part >= ?
                 ORDER BY a.xact_start
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(part);
    }
}
