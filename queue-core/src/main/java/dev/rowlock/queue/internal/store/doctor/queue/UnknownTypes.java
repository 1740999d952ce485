package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/**
 * Types of jobs that no living node takes, though nodes may serve the queue. Nodes publish the types of their listeners with their retries.
 * Jobs that are paused do not count. It looks at the jobs that are due first, and at the front of each queue, so it stays quick.
 */
public record UnknownTypes(Duration olderThan) implements Look {

    @Override
    public String sql() {
        return """
                WITH RECURSIVE\s""" + ReadyQueues.CTE + """
                , put_aside AS (
                    SELECT w.queue, w.type, w.reason, w.enqueued_at AS since
                      FROM rowlock.waiting w
                     WHERE w.due_at < clock_timestamp() + interval '11 minutes' -- nodes put them aside for ten at most
                     ORDER BY w.due_at, w.id
                     LIMIT 10000
                ), front AS (
                    SELECT q.queue, r.type, r.ready_at AS since
                      FROM queues q
                     CROSS JOIN LATERAL ((SELECT r.type, r.ready_at FROM rowlock.ready r
                                           WHERE r.queue = q.queue AND r.job_key IS NULL ORDER BY r.rank, r.ready_at, r.id LIMIT 200)
                                         UNION ALL
                                         (SELECT r.type, r.ready_at FROM rowlock.ready r
                                           WHERE r.queue = q.queue AND r.job_key IS NOT NULL
                                           ORDER BY r.job_key, r.rank, r.id LIMIT 200)) AS r
                ), kind AS (
                    SELECT queue, type, count(*) AS jobs, min(since) AS since
                      FROM (SELECT queue, type, since FROM put_aside
                             WHERE reason = 'unknown-type' AND since < clock_timestamp() - ? * interval '1 ms'
                            UNION ALL
                            SELECT queue, type, since FROM front
                             WHERE since < clock_timestamp() - ? * interval '1 ms') AS job
                     GROUP BY queue, type
                )
                SELECT k.type, k.queue, k.jobs, k.since
                  FROM kind k
                 WHERE EXISTS (SELECT FROM rowlock.node n WHERE k.queue = ANY (n.queues)
                                  AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms')
                   AND NOT EXISTS (SELECT FROM rowlock.node n WHERE k.queue = ANY (n.queues)
                                      AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                      AND (n.retries IS NULL OR n.retries -> k.type IS NOT NULL))
                   AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = k.queue
                                                                  OR p.kind = 'type' AND p.name = k.type)
                 ORDER BY k.jobs DESC, k.queue, k.type
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(olderThan.toMillis(), olderThan.toMillis());
    }
}
