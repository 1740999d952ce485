package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/**
 * Chores that no node has begun for so many of their intervals, and at least for this time, though a node has lived that long. A chore
 * that walks through a large table begins a round less often.
 */
public record StaleChores(int intervals, Duration atLeast) implements Look {

    @Override
    public String sql() {
        return """
                SELECT c.name, c.taken_at, c.due_at, clock_timestamp() - c.due_at AS overdue_for
                  FROM (SELECT name, taken_at, due_at, greatest(? * (due_at - taken_at), ? * interval '1 ms') AS allowed FROM rowlock.chore) AS c
                 WHERE c.due_at < clock_timestamp() - c.allowed
                   AND EXISTS (SELECT FROM rowlock.node n
                                WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                  AND n.started_at < clock_timestamp() - c.allowed)
                 ORDER BY c.due_at
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(intervals, atLeast.toMillis());
    }
}
