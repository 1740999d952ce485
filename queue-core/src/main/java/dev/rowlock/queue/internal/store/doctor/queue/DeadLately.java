package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/** Errors of which so many jobs have died within this time. The message is not shown: it may quote a payload. */
public record DeadLately(int jobs, Duration within) implements Look {

    @Override
    public String sql() {
        return """
                SELECT g.fingerprint, g.jobs, d.type, d.queue, coalesce(d.errors -> -1 ->> 'type', '') AS error, g.last_at
                  FROM (SELECT late.fingerprint, count(*) AS jobs, max(late.died_at) AS last_at, max(late.id) AS newest
                          FROM (SELECT fingerprint, died_at, id FROM rowlock.dead
                                 WHERE died_at > clock_timestamp() - ? * interval '1 ms' AND state = 'failed'
                                 ORDER BY died_at DESC
                                 LIMIT 10000) AS late
                         GROUP BY late.fingerprint
                        HAVING count(*) >= ?
                         ORDER BY jobs DESC
                         LIMIT 5) AS g
                  JOIN rowlock.dead d ON d.id = g.newest
                 ORDER BY g.jobs DESC
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(within.toMillis(), jobs);
    }
}
