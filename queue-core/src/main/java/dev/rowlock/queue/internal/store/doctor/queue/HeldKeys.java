package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/** Keys in order whose ready jobs have waited for a failed one for so long; those with the most jobs. */
public record HeldKeys(Duration longerThan) implements Look {

    @Override
    public String sql() {
        return """
                SELECT held.*
                  FROM rowlock.queue_limit l
                 CROSS JOIN LATERAL (
                       SELECT d.queue, d.job_key, d.id, d.died_at,
                              (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                                WHERE r.queue = d.queue AND r.job_key = d.job_key LIMIT 1000) AS waiting) AS jobs
                         FROM (SELECT queue, job_key, id, died_at FROM rowlock.dead
                                WHERE queue = l.queue AND job_key IS NOT NULL AND last_job > 0
                                ORDER BY queue, job_key LIMIT 10000) AS d
                        WHERE d.died_at < clock_timestamp() - ? * interval '1 ms') AS held
                 WHERE l.in_order = 'hold' AND held.jobs > 0
                 ORDER BY held.jobs DESC, held.died_at
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(longerThan.toMillis());
    }
}
