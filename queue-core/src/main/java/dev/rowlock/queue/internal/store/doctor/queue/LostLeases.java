package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/** Names of nodes whose lease has run out so often within this time. A node that comes back after its lease has the same name. */
public record LostLeases(int times, Duration within) implements Look {

    @Override
    public String sql() {
        return """
                SELECT p.name, count(*) AS times, max(p.ended_at) AS last_at
                  FROM rowlock.past_node p
                 WHERE p.expired AND p.ended_at > clock_timestamp() - ? * interval '1 ms'
                 GROUP BY p.name
                HAVING count(*) >= ?
                 ORDER BY times DESC, p.name
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(within.toMillis(), times);
    }
}
