package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Collection;
import java.util.List;

/** Notes which workflows have ended, and which run again. */
public final class EndWorkflows {

    // The row is locked before the others are looked at, by a snapshot that may be older: whoever changes something
    // looks here afterwards.
    private static final String NOW = """
            WITH now AS MATERIALIZED (
                SELECT w.id, w.state AS before,
                       CASE WHEN (SELECT m.job_id FROM rowlock.workflow_job m
                                   WHERE m.workflow_id = w.id AND m.state = 0
                                   ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) IS NOT NULL
                              OR (SELECT s.step_no FROM rowlock.workflow_step s WHERE s.workflow_id = w.id AND s.accepts AND s.state <> 'skipped' LIMIT 1) IS NOT NULL
                              OR (SELECT s.step_no FROM rowlock.workflow_step s
                                   WHERE s.workflow_id = w.id AND s.moving
                                   ORDER BY s.step_no LIMIT 1) IS NOT NULL
                            THEN CASE w.state WHEN 'cancelling' THEN 'cancelling' ELSE 'running' END
                            WHEN w.state = 'cancelling' THEN 'cancelled'
                            WHEN EXISTS (SELECT FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.state = 1)
                              OR EXISTS (SELECT FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.state = 3)
                            THEN 'failed' ELSE 'succeeded' END AS state
                  FROM rowlock.workflow w
                 WHERE w.id = ANY (?::bigint[]) AND w.state IN ('running', 'cancelling', 'failed')
                 ORDER BY w.id
                   %s
            )
            """;

    // A skipped step whose condition holds by now is about to come back: somebody has noted the end of a job that was
    // redriven, and not decided yet. Nobody would decide for a workflow that has succeeded.
    private static final String DECIDED = ", " + Verdicts.of("""
            SELECT s.workflow_id, s.step_no
                  FROM now n
                 CROSS JOIN LATERAL (
                       SELECT s.workflow_id, s.step_no FROM rowlock.workflow_step s
                        WHERE s.workflow_id = n.id AND s.state = 'skipped' ORDER BY s.step_no OFFSET 0) AS s
                 WHERE n.state = 'succeeded'
                   AND (SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = n.id AND m.state = 4
                         ORDER BY m.step_no, m.job_id LIMIT 1) IS NOT NULL""") + """
            , decided AS MATERIALIZED (
                SELECT n.id, n.before,
                       CASE WHEN n.state = 'succeeded' AND n.id = ANY (ARRAY(SELECT workflow_id FROM verdict WHERE met))
                            THEN 'running' ELSE n.state END AS state
                  FROM now n
            )
            """;

    private static final String END = NOW + DECIDED + """
            UPDATE rowlock.workflow w
               SET state = n.state, ended_at = CASE WHEN n.state IN ('succeeded', 'failed', 'cancelled') THEN statement_timestamp() END
              FROM decided n
             WHERE w.id = ANY (ARRAY(SELECT id FROM decided)) AND w.id + 0 = n.id AND n.state <> n.before
            RETURNING w.id
            """;

    private static final String FIND =
            NOW.formatted("") + DECIDED + "SELECT id FROM decided WHERE state <> before ORDER BY id";

    private final Database database;
    private final String end;
    private final String endOthers;
    private final String find;

    public EndWorkflows(Database database) {
        this.database = database;
        this.end = database.sql(IndexPlan.LOOKS_PREFIX + END.formatted("FOR UPDATE OF w"));
        this.endOthers = database.sql(IndexPlan.LOOKS_PREFIX + END.formatted("FOR UPDATE OF w SKIP LOCKED"));
        this.find = database.sql(IndexPlan.LOOKS_PREFIX + FIND);
    }

    /** Looks at these, and returns those that have ended, or run again. Fails if somebody keeps one of them locked. */
    public List<Long> run(Collection<Long> workflows) {
        return run(end, workflows);
    }

    /** The same, but passes over those that somebody has locked. */
    public List<Long> others(Collection<Long> workflows) {
        return run(endOthers, workflows);
    }

    /** Those about which that should have been noted. Locks nothing. */
    public List<Long> find(Collection<Long> workflows) {
        return run(find, workflows);
    }

    private List<Long> run(String sql, Collection<Long> workflows) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(List.copyOf(workflows), Long::longValue));
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }
}
