package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.workflow.OpenJobs.OpenJob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Notes which workflows have ended, and which run again. */
final class EndWorkflows {

    // The row is locked before the others are looked at, by a snapshot that may be older: whoever changes something
    // looks here afterwards. A look for a job that has not ended begins where the one before has found one.
    private static final String NOW = """
            WITH now AS MATERIALIZED (
                SELECT w.id, w.state AS before, o.step_no, o.job_id,
                       CASE WHEN o.job_id IS NOT NULL
                              OR (SELECT s.step_no FROM rowlock.workflow_step s WHERE s.workflow_id = w.id AND s.accepts AND s.state <> 'skipped' LIMIT 1) IS NOT NULL
                              OR (SELECT s.step_no FROM rowlock.workflow_step s
                                   WHERE s.workflow_id = w.id AND s.moving
                                   ORDER BY s.step_no LIMIT 1) IS NOT NULL
                            THEN CASE w.state WHEN 'cancelling' THEN 'cancelling' ELSE 'running' END
                            WHEN w.state = 'cancelling' THEN 'cancelled'
                            WHEN (SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.failure IN (1, 3)
                                   ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) IS NOT NULL -- in this order, because only one index has it
                            THEN 'failed' ELSE 'completed' END AS state
                  FROM unnest(?::bigint[], ?::int[], ?::bigint[]) AS t (id, hint_step, hint_job)
                 CROSS JOIN LATERAL (
                       SELECT w.id, w.state FROM rowlock.workflow w
                        WHERE w.id = t.id AND w.state IN ('running', 'cancelling', 'failed') OFFSET 0 %s) AS w
                  LEFT JOIN LATERAL (
                       (SELECT m.step_no, m.job_id FROM rowlock.workflow_job m
                         WHERE m.workflow_id = t.id AND m.state = 0 AND (m.step_no, m.job_id) <= (t.hint_step, t.hint_job)
                         ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1)
                       UNION ALL
                       (SELECT m.step_no, m.job_id FROM rowlock.workflow_job m
                         WHERE m.workflow_id = t.id AND m.state = 0 AND (m.step_no, m.job_id) > (t.hint_step, t.hint_job)
                         ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1)
                       LIMIT 1) AS o ON true
            )
            """;

    // A skipped step whose condition holds by now is about to come back: somebody has noted the end of a job that was
    // redriven, and not decided yet. Nobody would decide for a workflow that has completed.
    private static final String DECIDED = ", " + DecideSteps.VERDICT.formatted("""
            SELECT s.workflow_id, s.step_no
                  FROM now n
                 CROSS JOIN LATERAL (
                       SELECT s.workflow_id, s.step_no FROM rowlock.workflow_step s
                        WHERE s.workflow_id = n.id AND s.state = 'skipped' ORDER BY s.step_no OFFSET 0) AS s
                 WHERE n.state = 'completed'
                   AND (SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = n.id AND m.failure = 4
                         ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) IS NOT NULL""") + """
            , decided AS MATERIALIZED (
                SELECT n.id, n.before, n.step_no, n.job_id,
                       CASE WHEN n.state = 'completed' AND n.id = ANY (ARRAY(SELECT workflow_id FROM verdict WHERE met))
                            THEN 'running' ELSE n.state END AS state
                  FROM now n
            )
            """;

    private static final String END = NOW + DECIDED + """
            , ended AS (
                UPDATE rowlock.workflow w
                   SET state = n.state, ended_at = CASE WHEN n.state IN ('completed', 'failed', 'cancelled') THEN statement_timestamp() END
                  FROM decided n
                 WHERE w.id = ANY (ARRAY(SELECT id FROM decided)) AND w.id + 0 = n.id AND n.state <> n.before
                RETURNING w.id
            )
            SELECT n.id, e.id IS NOT NULL, n.step_no, n.job_id FROM decided n LEFT JOIN ended e ON e.id = n.id
            """;

    private static final String FIND =
            NOW.formatted("") + DECIDED + "SELECT id, state <> before, step_no, job_id FROM decided";

    private final OpenJobs<Long> openJobs = new OpenJobs<>();
    private final Database database;

    /** Ends workflows in which nothing is open, or lets them run again, and waits for their locks. */
    private final String end;

    /** Ends workflows in which nothing is open, or lets them run again, and passes over those that somebody has locked. */
    private final String endOthers;

    /** Finds workflows whose end, or whose new run after a redrive, nobody has noted. */
    private final String find;

    public EndWorkflows(Database database) {
        this.database = database;
        this.end = database.sql(IndexPlan.LOOKS_PREFIX + END.formatted("FOR UPDATE"));
        this.endOthers = database.sql(IndexPlan.LOOKS_PREFIX + END.formatted("FOR UPDATE SKIP LOCKED"));
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
        List<Long> sorted = workflows.stream().sorted().toList(); // in this order their rows are locked
        List<OpenJob> hints = sorted.stream().map(openJobs::last).toList();
        return database
                .atOnce(connection -> IndexPlan.list(
                        connection,
                        sql,
                        this::changed,
                        Columns.longs(sorted, Long::longValue),
                        hints.stream().mapToInt(OpenJob::step).toArray(),
                        Columns.longs(hints, OpenJob::job)))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /** Empty: it is as before. */
    private Optional<Long> changed(ResultSet row) throws SQLException {
        long workflow = row.getLong(1);
        boolean changed = row.getBoolean(2);
        int step = row.getInt(3);
        Long job = Columns.number(row, 4);
        openJobs.found(workflow, job == null ? null : new OpenJob(step, job));
        return changed ? Optional.of(workflow) : Optional.empty();
    }
}
