package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/**
 * Queues that no living node serves, and that have a limit from somebody at run time, a policy that decides, or keys with a weight. Those
 * that applications declare do not count: they stay while the last node is away.
 *
 * @param longerThan since the limit was set
 */
public record UnservedRules(Duration longerThan) implements Look {

    @Override
    public String sql() {
        // Weights may be many, of few queues: one look for each queue.
        return """
                WITH RECURSIVE weighted AS (
                    (SELECT queue FROM rowlock.key_weight ORDER BY queue, job_key LIMIT 1)
                    UNION ALL
                    SELECT next.* FROM weighted q CROSS JOIN LATERAL (
                           SELECT w.queue FROM rowlock.key_weight w WHERE w.queue > q.queue ORDER BY w.queue, w.job_key LIMIT 1) AS next
                ), served AS MATERIALIZED (
                    SELECT DISTINCT unnest(n.queues) AS queue FROM rowlock.node n
                     WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                ), rule AS (
                    SELECT queue, 'a limit' COLLATE "C" AS rule FROM rowlock.queue_limit
                     WHERE NOT declared AND changed_at < clock_timestamp() - ? * interval '1 ms'
                    UNION ALL
                    SELECT queue, 'a policy' FROM rowlock.policy WHERE decides_until > clock_timestamp()
                    UNION ALL
                    SELECT queue, 'keys with a weight' FROM weighted
                )
                SELECT queue, rule, (SELECT string_agg(queue, ', ' ORDER BY queue) FROM (SELECT queue FROM served ORDER BY queue LIMIT 50) AS names) AS served
                  FROM rule
                 WHERE queue NOT IN (SELECT queue FROM served) AND EXISTS (SELECT FROM served)
                 ORDER BY queue, rule
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(longerThan.toMillis());
    }
}
