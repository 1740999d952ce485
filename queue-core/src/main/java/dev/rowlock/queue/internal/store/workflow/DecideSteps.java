package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * Decides which steps may run now, are skipped, or come back after they were skipped. Nothing is moved yet.
 *
 * <p>Two statements in one transaction: the first one locks the steps, the second one looks with a newer snapshot at what they wait for. So of two
 * nodes that have each noted the end of another parent, the later one sees both.
 */
public final class DecideSteps {

    private static final String LOCK_CHILDREN = """
            SELECT c.workflow_id, c.step_no
              FROM rowlock.workflow_step c
             WHERE (c.workflow_id, c.step_no) IN (
                       SELECT e.workflow_id, e.child_no
                         FROM unnest(?::bigint[], ?::int[]) AS t (workflow_id, step_no)
                         JOIN rowlock.workflow_edge e ON e.workflow_id = t.workflow_id AND e.parent_no = t.step_no)
               AND c.state IN ('waiting', 'skipped')
             ORDER BY c.workflow_id, c.step_no
               FOR UPDATE OF c
            """;

    // A parent goes on as long as it has a job that has not ended, or may get one.
    private static final String DECIDE = """
            WITH parent AS MATERIALIZED (
                SELECT e.workflow_id, e.child_no, e.runs_after,
                       p.accepts OR p.state IN ('waiting', 'releasing', 'skipping', 'reviving')
                       OR (SELECT m.job_id FROM rowlock.workflow_job m
                            WHERE m.workflow_id = p.workflow_id AND m.state = 0 AND m.step_no = p.step_no
                            ORDER BY m.job_id DESC LIMIT 1) IS NOT NULL AS going_on,
                       (SELECT m.job_id FROM rowlock.workflow_job m
                         WHERE m.workflow_id = p.workflow_id AND m.state = 1 AND m.step_no = p.step_no LIMIT 1) IS NOT NULL AS failed,
                       (SELECT m.job_id FROM rowlock.workflow_job m
                         WHERE m.workflow_id = p.workflow_id AND m.state = 3 AND m.step_no = p.step_no LIMIT 1) IS NOT NULL
                       OR (SELECT m.job_id FROM rowlock.workflow_job m
                            WHERE m.workflow_id = p.workflow_id AND m.state = 4 AND m.step_no = p.step_no LIMIT 1) IS NOT NULL AS cancelled
                  FROM unnest(?::bigint[], ?::int[]) AS t (workflow_id, step_no)
                  JOIN rowlock.workflow_edge e ON e.workflow_id = t.workflow_id AND e.child_no = t.step_no
                  JOIN rowlock.workflow_step p ON p.workflow_id = e.workflow_id AND p.step_no = e.parent_no
            ), verdict AS MATERIALIZED (
                SELECT workflow_id, child_no,
                       bool_and(CASE runs_after WHEN 'end' THEN NOT going_on
                                                WHEN 'failure' THEN true
                                                ELSE NOT going_on AND NOT failed AND NOT cancelled END)
                       AND coalesce(bool_or(failed OR cancelled) FILTER (WHERE runs_after = 'failure'), true) AS met,
                       bool_or(CASE runs_after WHEN 'success' THEN failed OR cancelled
                                               WHEN 'success-or-hold' THEN cancelled -- nobody can redrive that
                                               ELSE false END)
                       OR coalesce(bool_and(NOT going_on AND NOT failed AND NOT cancelled) FILTER (WHERE runs_after = 'failure'), false) AS broken
                  FROM parent
                 GROUP BY workflow_id, child_no
            )
            UPDATE rowlock.workflow_step s
               SET state = CASE WHEN NOT v.met THEN 'skipping' WHEN s.state = 'waiting' THEN 'releasing' ELSE 'reviving' END
              FROM verdict v JOIN rowlock.workflow w ON w.id = v.workflow_id
             WHERE s.workflow_id = v.workflow_id AND s.step_no = v.child_no
               AND w.state IN ('running', 'failed')
               AND (v.met AND s.state IN ('waiting', 'skipped') OR v.broken AND s.state = 'waiting')
            RETURNING s.workflow_id, s.step_no
            """;

    private static final String WAITING = """
            SELECT s.workflow_id, s.step_no
              FROM rowlock.workflow w
             CROSS JOIN LATERAL (
                   SELECT s.* FROM rowlock.workflow_step s
                    WHERE s.workflow_id = w.id AND (w.id > ? OR s.step_no > ?)
                    ORDER BY s.step_no LIMIT ?) AS s
             WHERE w.id >= ? AND w.state IN ('running', 'failed')
             ORDER BY w.id, s.step_no LIMIT ?
            """;

    private final Database database;
    private final String lockChildren;
    private final String lock;
    private final String decide;
    private final String waiting;

    public DecideSteps(Database database) {
        this.database = database;
        this.lockChildren = database.sql(LOCK_CHILDREN);
        this.lock = database.sql(LOCK);
        this.decide = database.sql(DECIDE);
        this.waiting = database.sql(WAITING);
    }

    private static final String LOCK = """
            SELECT c.workflow_id, c.step_no
              FROM rowlock.workflow_step c
              JOIN unnest(?::bigint[], ?::int[]) AS t (workflow_id, step_no)
                ON t.workflow_id = c.workflow_id AND t.step_no = c.step_no
             WHERE c.state IN ('waiting', 'skipped')
             ORDER BY c.workflow_id, c.step_no
               FOR UPDATE OF c
            """;

    /** Steps that run after these. Returns those whose jobs are to be moved now. */
    public List<StepKey> after(Collection<StepKey> parents) {
        return run(lockChildren, parents);
    }

    /** These steps. Returns those whose jobs are to be moved now. */
    public List<StepKey> themselves(Collection<StepKey> steps) {
        return run(lock, steps);
    }

    private List<StepKey> run(String which, Collection<StepKey> steps) {
        return database.atomically(connection -> {
            List<StepKey> locked = steps(connection, which, steps);
            return locked.isEmpty() ? locked : steps(connection, decide, locked);
        });
    }

    private static List<StepKey> steps(Connection connection, String sql, Collection<StepKey> given)
            throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            StepKey.set(statement, 1, given);
            return StepKey.ROW.all(statement);
        }
    }

    /** So many steps of workflows that run, behind this one. */
    public List<StepKey> stretch(StepKey behind, int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, waiting)) {
                statement.setLong(1, behind.workflow());
                statement.setInt(2, behind.step());
                statement.setInt(3, limit);
                statement.setLong(4, behind.workflow());
                statement.setInt(5, limit);
                return StepKey.ROW.all(statement);
            }
        });
    }
}
