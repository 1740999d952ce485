package dev.rowlock.queue.internal.store.doctor;

import dev.rowlock.queue.internal.store.Schema;
import java.time.Duration;
import java.util.List;

/** Pauses that are older than this. */
public record OldPauses(Duration olderThan) implements Look {

    @Override
    public String sql() {
        return """
                SELECT kind, name, paused_at, who, why
                  FROM rowlock.pause
                 WHERE clock_timestamp() - paused_at > ? * interval '1 ms'
                 ORDER BY paused_at
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(olderThan.toMillis());
    }
}
