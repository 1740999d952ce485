package dev.rowlock.queue.internal.store.doctor.queue;

/** The queues that have ready jobs, found by one look for each. Jobs with keys have an index of their own. */
public final class ReadyQueues {

    /** Named {@code queues}, with the column {@code queue}; for {@code WITH RECURSIVE}. */
    public static final String CTE = """
            plain_queue AS (
                (SELECT queue FROM rowlock.ready WHERE job_key IS NULL ORDER BY queue, rank, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM plain_queue q CROSS JOIN LATERAL (
                       SELECT r.queue FROM rowlock.ready r WHERE r.job_key IS NULL AND r.queue > q.queue
                        ORDER BY r.queue, r.rank, r.ready_at, r.id LIMIT 1) AS next
            ), keyed_queue AS (
                (SELECT queue FROM rowlock.ready WHERE job_key IS NOT NULL ORDER BY queue, job_key, rank, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM keyed_queue q CROSS JOIN LATERAL (
                       SELECT r.queue FROM rowlock.ready r WHERE r.job_key IS NOT NULL AND r.queue > q.queue
                        ORDER BY r.queue, r.job_key, r.rank, r.id LIMIT 1) AS next
            ), queues AS (
                SELECT queue FROM plain_queue UNION SELECT queue FROM keyed_queue
            )
            """;

    private ReadyQueues() {}
}
