package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Measures rooms, database and features, for metrics, dashboard and doctor: into the tables {@code depth} and {@code figure}. */
public final class Measurements {

    // They wait for nobody: who locks a table, or slows down the disk, must not hold up the other chores.
    private static final String LIMITS = "SET LOCAL statement_timeout = '%s'; SET LOCAL lock_timeout = '200ms'";

    // oldest_at: since when the longest-waiting job of a queue is runnable; null elsewhere.
    private static final String DEPTH = IndexPlan.PREFIX + """
            WITH RECURSIVE share AS MATERIALIZED (
                -- What part of each room's pages is counted.
                SELECT least(1, 32e6 / greatest(1, pg_relation_size('rowlock.waiting'))) AS waiting,
                       least(1, 32e6 / greatest(1, pg_relation_size('rowlock.ready'))) AS ready,
                       least(1, 32e6 / greatest(1, pg_relation_size('rowlock.running'))) AS running,
                       least(1, 32e6 / greatest(1, pg_relation_size('rowlock.dead'))) AS dead
            ), sample AS MATERIALIZED (
                SELECT queue, 'waiting' AS room, round(count(*) / (SELECT waiting FROM share)) AS jobs, NULL::timestamptz AS oldest_with_key
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
                                     (SELECT s.oldest_with_key FROM sample s WHERE s.queue = k.queue AND s.room = 'ready')),
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
                SELECT queue, room, jobs, NULL::timestamptz AS oldest_at FROM sample WHERE room NOT IN ('ready', 'dead')
                UNION ALL
                SELECT d.queue, 'dead', CASE WHEN d.first_jobs < 10000 THEN d.first_jobs ELSE greatest(d.first_jobs, s.jobs) END,
                       NULL
                  FROM dead d LEFT JOIN sample s ON s.queue = d.queue AND s.room = 'dead'
                UNION ALL
                SELECT r.queue, 'ready', CASE WHEN r.first_jobs < 10000 THEN r.first_jobs ELSE greatest(r.first_jobs, s.jobs) END,
                       r.oldest_at
                  FROM ready r LEFT JOIN sample s ON s.queue = r.queue AND s.room = 'ready'
                UNION ALL
                SELECT DISTINCT served.queue COLLATE "C", 'ready', 0, NULL::timestamptz
                  FROM rowlock.node n CROSS JOIN LATERAL unnest(n.queues) AS served (queue)
                 WHERE NOT EXISTS (SELECT FROM ready r WHERE r.queue = served.queue COLLATE "C")
            ), emptied AS (
                UPDATE rowlock.depth d SET jobs = 0, oldest_at = NULL, measured_at = statement_timestamp()
                 WHERE (d.jobs > 0 OR d.measured_at > statement_timestamp()) -- the clock was set back
                   AND NOT EXISTS (SELECT FROM measured m WHERE m.queue = d.queue AND m.room = d.room)
            ), forgotten AS (
                DELETE FROM rowlock.depth d
                 WHERE d.jobs = 0 AND d.measured_at < statement_timestamp() - interval '1 hour'
                   AND NOT EXISTS (SELECT FROM measured m WHERE m.queue = d.queue AND m.room = d.room)
            )
            INSERT INTO rowlock.depth AS d (queue, room, jobs, oldest_at, measured_at)
            SELECT queue, room, jobs, oldest_at, statement_timestamp() FROM measured
            ON CONFLICT (queue, room) DO UPDATE
               SET jobs = excluded.jobs, oldest_at = excluded.oldest_at, measured_at = excluded.measured_at
             WHERE (d.jobs, d.oldest_at) IS DISTINCT FROM (excluded.jobs, excluded.oldest_at) OR d.measured_at > statement_timestamp()
                OR (d.queue, d.room) = (SELECT m.queue, m.room FROM measured m ORDER BY m.queue, m.room LIMIT 1)
            """;

    // Partitions count as their table, so that there is no new figure each day. A VACUUM holds back nobody.
    private static final String DATABASE = """
            WITH part AS (
                SELECT c.oid, coalesce(p.relname, c.relname)::text AS name
                  FROM pg_class c
                  LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
                  LEFT JOIN pg_class p ON p.oid = i.inhparent
                 WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = ?) AND c.relkind = 'r'
            ), old AS (
                SELECT age(coalesce(a.backend_xmin, a.backend_xid)) AS transactions, clock_timestamp() - a.xact_start AS open_for
                  FROM pg_stat_activity a
                 WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
                   AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
            ), prepared AS (
                SELECT age(p.transaction) AS transactions, clock_timestamp() - p.prepared AS open_for
                  FROM pg_prepared_xacts p WHERE p.database = current_database()
            ), seen AS (
                SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS all_sessions
            ), measured (name, detail, value) AS (
                SELECT 'horizon.transactions', 'transaction', coalesce(max(transactions), 0) FROM old HAVING (SELECT all_sessions FROM seen)
                UNION ALL
                SELECT 'horizon.transactions', 'prepared', coalesce(max(transactions), 0) FROM prepared
                UNION ALL
                SELECT 'horizon.transactions', 'slot', coalesce(max(greatest(age(s.xmin), age(s.catalog_xmin))), 0) FROM pg_replication_slots s
                UNION ALL
                SELECT 'horizon.transactions', 'standby', coalesce(max(age(r.backend_xmin)), 0)
                  FROM pg_stat_replication r HAVING (SELECT all_sessions FROM seen)
                UNION ALL
                SELECT 'transaction.age', '', coalesce(max(extract(epoch FROM open_for)), 0)
                  FROM (SELECT open_for FROM old WHERE transactions IS NOT NULL UNION ALL SELECT open_for FROM prepared) AS holder
                HAVING (SELECT all_sessions FROM seen)
                UNION ALL
                SELECT 'dead.rows', part.name, coalesce(sum(t.n_dead_tup), 0)
                  FROM part LEFT JOIN pg_stat_all_tables t ON t.relid = part.oid GROUP BY part.name
                UNION ALL
                SELECT 'table.size', part.name, sum(coalesce(pg_total_relation_size(part.oid), 0)) FROM part GROUP BY part.name
                UNION ALL
                SELECT 'notification.usage', '', pg_notification_queue_usage()
                UNION ALL
                -- For a server that gets the rows by logical replication, which leaves out sequences.
                SELECT 'sequence', s.sequencename, s.last_value FROM pg_sequences s
                 WHERE s.schemaname = ? AND s.sequencename IN ('job_id', 'claim_token', 'node_id') AND s.last_value IS NOT NULL
            ), gone AS (
                DELETE FROM rowlock.figure f
                 WHERE f.name NOT LIKE 'workflow%' AND f.name NOT LIKE 'policy.%' -- those are features
                   AND NOT EXISTS (SELECT FROM measured m WHERE m.name = f.name AND m.detail = f.detail)
            )
            INSERT INTO rowlock.figure AS f (name, detail, value, measured_at)
            SELECT name, detail, value, statement_timestamp() FROM measured
            ON CONFLICT (name, detail) DO UPDATE SET value = excluded.value, measured_at = excluded.measured_at
            """;

    // Policies of which nobody has heard for a minute are forgotten soon, unless jobs wait for them.
    private static final String FEATURES = IndexPlan.PREFIX + """
            WITH open AS MATERIALIZED (
                SELECT w.state FROM rowlock.workflow w WHERE w.state IN ('running', 'cancelling', 'failed') ORDER BY w.id LIMIT 10000
            ), measured (name, detail, value) AS (
                SELECT 'workflows', 'running', count(*) FROM open WHERE state <> 'failed'
                UNION ALL
                SELECT 'workflows', 'failed', count(*) FROM open WHERE state = 'failed'
                UNION ALL
                SELECT 'workflow.steps.moving', '', count(*)
                  FROM (SELECT FROM rowlock.workflow_step s
                         WHERE s.moving ORDER BY s.workflow_id, s.step_no LIMIT 10000) AS moving
                UNION ALL
                SELECT 'policy.decides', p.queue,
                       CASE WHEN p.decides_until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 min' THEN 1 ELSE 0 END
                  FROM (SELECT * FROM rowlock.policy ORDER BY queue LIMIT 100) AS p
                UNION ALL
                SELECT 'policy.held.jobs', p.queue,
                       (SELECT count(*) FROM (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue
                         ORDER BY h.queue, h.rank, h.ready_at, h.job_id LIMIT 10000) AS held)
                  FROM (SELECT * FROM rowlock.policy ORDER BY queue LIMIT 100) AS p
            ), gone AS (
                DELETE FROM rowlock.figure f
                 WHERE (f.name LIKE 'workflow%' OR f.name LIKE 'policy.%')
                   AND NOT EXISTS (SELECT FROM measured m WHERE m.name = f.name AND m.detail = f.detail)
            )
            INSERT INTO rowlock.figure AS f (name, detail, value, measured_at)
            SELECT name, detail, value, statement_timestamp() FROM measured
            ON CONFLICT (name, detail) DO UPDATE SET value = excluded.value, measured_at = excluded.measured_at
            """;

    private final Database database;

    public Measurements(Database database) {
        this.database = database;
    }

    /**
     * Counts the live rooms and dead, by queue, into the table {@code depth}. What that costs does not grow with the rooms:
     * of one that is larger than 32 MB a sample of its pages is counted, and its figures are then off by one or two per cent.
     * Exact all the same are queues of fewer than ten thousand ready or dead jobs, and the age of each queue's oldest ready job without a key.
     * Of jobs with keys, those of the sample tell how old they are, and the first of each of the first 5,000 keys: not these alone, because what is
     * tried again stands first and has become ready a moment ago.
     *
     * <p>Queues that a node serves have a row always, others for an hour after their last job. A row is written when its figures change; the last
     * measurement is that of the newest row, and each one writes at least the first row.
     */
    public void depth() {
        database.atomically(connection -> {
            limit(connection, "60s");
            try (PreparedStatement statement = IndexPlan.prepare(connection, database.sql(DEPTH))) {
                return statement.execute();
            }
        });
    }

    /**
     * Writes into the table {@code figure} what holds back vacuum, how many dead rows our tables have, how large they are, how
     * full the server's queue of notifications is, and where the sequences stand. Reads catalogs and statistics only. What this role may not see is
     * left out.
     */
    public void database() {
        database.atomically(connection -> {
            limit(connection, "5s");
            try (PreparedStatement statement = UncachedPlan.prepare(connection, database.sql(DATABASE))) {
                statement.setString(1, database.schema().name());
                statement.setString(2, database.schema().name());
                return statement.execute();
            }
        });
    }

    /**
     * Writes into the table {@code figure} how many workflows are open and how many have failed, how many steps jobs of which are about to move, and
     * for each policy whether it decides and how many jobs wait for it. It counts up to ten thousand of each, by an index.
     */
    public void features() {
        database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, database.sql(FEATURES))) {
                return statement.execute();
            }
        });
    }

    private static void limit(Connection connection, String time) throws SQLException {
        try (Statement limits = connection.createStatement()) {
            limits.execute(LIMITS.formatted(time));
        }
    }
}
