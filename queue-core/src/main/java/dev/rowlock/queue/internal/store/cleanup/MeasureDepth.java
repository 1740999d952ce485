package dev.rowlock.queue.internal.store.cleanup;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.Statement;

/**
 * Counts the live rooms and dead, by queue, into the table {@code depth}. What that costs does not grow with the rooms:
 * of one that is larger than 32 MB a sample of its pages is counted, and its figures are then off by one or two per cent.
 * Exact all the same are queues of fewer than ten thousand ready or dead jobs, and the age of each queue's oldest ready job without a key.
 * Of jobs with keys, those of the sample tell how old they are, and the first of each of the first 5,000 keys: not these alone, because what is tried again
 * stands first and has become ready a moment ago.
 *
 * <p>Queues that a node serves have a row always, others for an hour after their last job. A row is written when its figures change; the last measurement
 * is that of the newest row, and each one writes at least the first row.
 */
public final class MeasureDepth {

    // It waits for nobody: who locks a table, or slows down the disk, must not hold up the other chores.
    private static final String LIMITS = "SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '200ms'";

    // oldest_at: since when the longest-waiting job of a queue is runnable; null elsewhere.
    private static final String SQL = IndexPlan.PREFIX + """
            WITH RECURSIVE share AS MATERIALIZED (
                -- What part of each room's pages is counted.
                SELECT least(1, 32e6 / greatest(1, pg_relation_size('rowlock.waiting'))) AS waiting,
                       least(1, 32e6 / greatest(1, pg_relation_size('rowlock.ready'))) AS ready,
                       least(1, 32e6 / greatest(1, pg_relation_size('rowlock.running'))) AS running,
                       least(1, 32e6 / greatest(1, pg_relation_size('rowlock.dead'))) AS dead
            ), sample AS MATERIALIZED (
                SELECT queue, 'waiting' AS state, round(count(*) / (SELECT waiting FROM share)) AS jobs, NULL::timestamptz AS oldest_with_key
                  FROM rowlock.waiting TABLESAMPLE SYSTEM (100 * (SELECT waiting FROM share)) GROUP BY queue
                UNION ALL
                SELECT queue, 'ready', round(count(*) / (SELECT ready FROM share)), min(ready_at) FILTER (WHERE job_key IS NOT NULL)
                  FROM rowlock.ready TABLESAMPLE SYSTEM (100 * (SELECT ready FROM share)) GROUP BY queue
                UNION ALL
                SELECT queue, 'running', round(count(*) / (SELECT running FROM share)), NULL
                  FROM rowlock.running TABLESAMPLE SYSTEM (100 * (SELECT running FROM share)) GROUP BY queue
                UNION ALL
                SELECT queue, 'dead', round(count(*) / (SELECT dead FROM share)), NULL
                  FROM rowlock.dead TABLESAMPLE SYSTEM (100 * (SELECT dead FROM share)) GROUP BY queue
            ), lane AS (
                -- The first ready job of each queue and rank.
                (SELECT queue, rank, ready_at FROM rowlock.ready
                  WHERE job_key IS NULL ORDER BY queue, rank, ready_at, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM lane CROSS JOIN LATERAL (
                       SELECT r.queue, r.rank, r.ready_at FROM rowlock.ready r
                        WHERE r.job_key IS NULL AND (r.queue, r.rank) > (lane.queue, lane.rank)
                        ORDER BY r.queue, r.rank, r.ready_at, r.id LIMIT 1) AS next
            ), keyed_queue AS (
                (SELECT queue FROM rowlock.ready WHERE job_key IS NOT NULL ORDER BY queue, job_key, rank, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM keyed_queue CROSS JOIN LATERAL (
                       SELECT r.queue FROM rowlock.ready r
                        WHERE r.job_key IS NOT NULL AND r.queue > keyed_queue.queue
                        ORDER BY r.queue, r.job_key, r.rank, r.id LIMIT 1) AS next
            ), head AS (
                -- The first ready job of each key.
                (SELECT queue, job_key, ready_at, 1 AS number FROM rowlock.ready
                  WHERE job_key IS NOT NULL ORDER BY queue, job_key, rank, id LIMIT 1)
                UNION ALL
                SELECT next.*, head.number + 1 FROM head CROSS JOIN LATERAL (
                       SELECT r.queue, r.job_key, r.ready_at FROM rowlock.ready r
                        WHERE r.job_key IS NOT NULL AND (r.queue, r.job_key) > (head.queue, head.job_key)
                        ORDER BY r.queue, r.job_key, r.rank, r.id LIMIT 1) AS next
                 WHERE head.number < 5000
            ), ready AS (
                -- A sample may well miss a queue of few jobs.
                SELECT queue, min(oldest_at) AS oldest_at, sum(first_jobs) AS first_jobs
                  FROM (SELECT l.queue, min(l.ready_at) AS oldest_at,
                               (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                                 WHERE r.queue = l.queue AND r.job_key IS NULL LIMIT 10000) AS first) AS first_jobs
                          FROM lane l
                         GROUP BY l.queue
                        UNION ALL
                        SELECT k.queue,
                               least((SELECT min(h.ready_at) FROM head h WHERE h.queue = k.queue),
                                     (SELECT s.oldest_with_key FROM sample s WHERE s.queue = k.queue AND s.state = 'ready')),
                               (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                                 WHERE r.queue = k.queue AND r.job_key IS NOT NULL LIMIT 10000) AS first)
                          FROM keyed_queue k) AS part
                 GROUP BY queue
            ), grave AS (
                (SELECT queue FROM rowlock.dead ORDER BY queue, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM grave CROSS JOIN LATERAL (
                       SELECT d.queue FROM rowlock.dead d WHERE d.queue > grave.queue ORDER BY d.queue, d.id LIMIT 1) AS next
            ), dead AS (
                SELECT g.queue,
                       (SELECT count(*) FROM (SELECT FROM rowlock.dead d WHERE d.queue = g.queue LIMIT 10000) AS first) AS first_jobs
                  FROM grave g
            ), measured AS MATERIALIZED (
                SELECT queue, state, jobs, NULL::timestamptz AS oldest_at FROM sample WHERE state NOT IN ('ready', 'dead')
                UNION ALL
                SELECT d.queue, 'dead', CASE WHEN d.first_jobs < 10000 THEN d.first_jobs ELSE greatest(d.first_jobs, s.jobs) END,
                       NULL
                  FROM dead d LEFT JOIN sample s ON s.queue = d.queue AND s.state = 'dead'
                UNION ALL
                SELECT r.queue, 'ready', CASE WHEN r.first_jobs < 10000 THEN r.first_jobs ELSE greatest(r.first_jobs, s.jobs) END,
                       r.oldest_at
                  FROM ready r LEFT JOIN sample s ON s.queue = r.queue AND s.state = 'ready'
                UNION ALL
                SELECT DISTINCT served.queue COLLATE "C", 'ready', 0, NULL::timestamptz
                  FROM rowlock.node n CROSS JOIN LATERAL unnest(n.queues) AS served (queue)
                 WHERE NOT EXISTS (SELECT FROM ready r WHERE r.queue = served.queue COLLATE "C")
            ), emptied AS (
                UPDATE rowlock.depth d SET jobs = 0, oldest_at = NULL, measured_at = statement_timestamp()
                 WHERE (d.jobs > 0 OR d.measured_at > statement_timestamp()) -- the clock was set back
                   AND NOT EXISTS (SELECT FROM measured m WHERE m.queue = d.queue AND m.state = d.state)
            ), forgotten AS (
                DELETE FROM rowlock.depth d
                 WHERE d.jobs = 0 AND d.measured_at < statement_timestamp() - interval '1 hour'
                   AND NOT EXISTS (SELECT FROM measured m WHERE m.queue = d.queue AND m.state = d.state)
            )
            INSERT INTO rowlock.depth AS d (queue, state, jobs, oldest_at, measured_at)
            SELECT queue, state, jobs, oldest_at, statement_timestamp() FROM measured
            ON CONFLICT (queue, state) DO UPDATE
               SET jobs = excluded.jobs, oldest_at = excluded.oldest_at, measured_at = excluded.measured_at
             WHERE (d.jobs, d.oldest_at) IS DISTINCT FROM (excluded.jobs, excluded.oldest_at) OR d.measured_at > statement_timestamp()
                OR (d.queue, d.state) = (SELECT m.queue, m.state FROM measured m ORDER BY m.queue, m.state LIMIT 1)
            """;

    private final Database database;
    private final String sql;

    public MeasureDepth(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public void run() {
        database.atomically(connection -> {
            try (Statement limits = connection.createStatement()) {
                limits.execute(LIMITS);
            }
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                return statement.execute();
            }
        });
    }
}
