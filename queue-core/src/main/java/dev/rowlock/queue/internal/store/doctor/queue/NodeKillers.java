package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/** Jobs that were quarantined within this time, and running ones whose nodes have died so often. */
public record NodeKillers(int crashes, Duration within) implements Look {

    @Override
    public String sql() {
        return """
                SELECT job.state, job.id, job.type, job.queue, job.crashes, job.at
                  FROM (SELECT 'quarantined' AS state, late.id, late.type, late.queue, late.crashes, late.died_at AS at
                          FROM (SELECT * FROM rowlock.dead
                                 WHERE died_at > clock_timestamp() - ? * interval '1 ms'
                                 ORDER BY died_at DESC
                                 LIMIT 10000) AS late
                         WHERE late.state = 'quarantined'
                        UNION ALL
                        SELECT 'running', r.id, r.type, r.queue, r.crashes, r.claimed_at FROM rowlock.running r WHERE r.crashes >= ?) AS job
                 ORDER BY job.at DESC
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(within.toMillis(), crashes);
    }
}
