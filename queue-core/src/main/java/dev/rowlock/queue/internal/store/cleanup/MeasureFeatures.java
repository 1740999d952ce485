package dev.rowlock.queue.internal.store.cleanup;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;

/**
 * Writes into the table {@code figure} how many workflows are open and how many have failed, how many steps jobs of which are about to move, and for each policy
 * whether it decides and how many jobs wait for it. It counts up to ten thousand of each, by an index.
 */
public final class MeasureFeatures {

    // Policies of which nobody has heard for a minute are forgotten soon, unless jobs wait for them.
    private static final String SQL = IndexPlan.PREFIX + """
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
    private final String sql;

    public MeasureFeatures(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public void run() {
        database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                return statement.execute();
            }
        });
    }
}
