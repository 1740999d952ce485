package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.WorkflowStep;
import dev.rowlock.queue.workflow.WorkflowSummary;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads workflows for people and dashboards, in the caller's transaction if there is one. Each is one statement, or three by the primary key. */
public final class ReadWorkflows {

    /**
     * Whether a failed workflow runs again, though nobody has noted it yet: one of its dead jobs was redriven. A condition
     * about a row {@code w} of {@code workflow}.
     */
    // The job's room says so, looked up by its id; or what was noted of the jobs says so, and of the workflow not yet.
    static final String REDRIVEN = """
            w.state = 'failed'
            AND ((SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = w.id
                   ORDER BY m.step_no, m.job_id LIMIT 1) IS NOT NULL -- in this order, because an index has it
                 AND NOT EXISTS (SELECT FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.failure IN (1, 3))
                 OR (SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.state = 0
                      ORDER BY m.step_no, m.job_id LIMIT 1) IS NOT NULL
                 OR EXISTS (SELECT FROM rowlock.workflow_job m
                             WHERE m.workflow_id = w.id AND m.failure = 1
                               AND coalesce((SELECT false FROM rowlock.dead d WHERE d.id = m.job_id), -- nearly all are there
                                            (SELECT true FROM rowlock.ready r WHERE r.id = m.job_id),
                                            (SELECT true FROM rowlock.running r WHERE r.id = m.job_id),
                                            (SELECT true FROM rowlock.waiting r WHERE r.id = m.job_id),
                                            (SELECT true FROM rowlock.done_jobs(ARRAY[m.job_id]) d WHERE d.state = 'completed' LIMIT 1),
                                            false)))
            """;

    /** Reads a page of workflows. */
    private static final String LIST = """
            SELECT id, name, state, started_at, ended_at FROM rowlock.workflow
             WHERE id < :before ORDER BY id DESC LIMIT :limit
            """;

    /** Reads a workflow. */
    private static final String ONE = """
            SELECT w.id, w.name, CASE WHEN w.again THEN 'running' ELSE w.state END, w.started_at, CASE WHEN NOT w.again THEN w.ended_at END, m.workflow_id
              FROM (SELECT w.*, %s AS again FROM rowlock.workflow w WHERE w.id = :workflow OFFSET 0) AS w
              LEFT JOIN rowlock.workflow_job m ON m.job_id = -w.id
            """.formatted(REDRIVEN);

    /** Reads the steps of a workflow. */
    private static final String STEPS = """
            SELECT s.step_no, s.name, s.state = 'waiting', s.accepts, c.state, c.jobs
              FROM rowlock.workflow_step s
              LEFT JOIN (SELECT m.step_no, m.state, count(*) AS jobs FROM rowlock.workflow_job m
                          WHERE m.workflow_id = :workflow GROUP BY m.step_no, m.state) AS c ON c.step_no = s.step_no
             WHERE s.workflow_id = :workflow
             ORDER BY s.step_no
            """;

    /** Reads which step of a workflow runs after which. */
    private static final String EDGES = """
            SELECT e.child_no, p.name, e.runs_after
              FROM rowlock.workflow_edge e
              JOIN rowlock.workflow_step p ON p.workflow_id = e.workflow_id AND p.step_no = e.parent_no
             WHERE e.workflow_id = :workflow
            """;

    private static final String JOBS = """
            SELECT m.job_id, s.name, m.state
              FROM rowlock.workflow_step s
             CROSS JOIN LATERAL (
                   SELECT j.job_id, j.state FROM rowlock.workflow_job j
                    WHERE j.workflow_id = s.workflow_id AND j.step_no = s.step_no AND j.job_id > :behind
                    ORDER BY j.job_id LIMIT :limit) AS m
             WHERE s.workflow_id = :workflow AND s.name = :step
             ORDER BY m.job_id
            """;

    private static final String OF_JOB = "SELECT workflow_id FROM rowlock.workflow_job WHERE job_id = :job";

    // Most have not ended. A look by primary key for each, and not a join, which a plan for an empty table makes with
    // all of it.
    private static final String ENDED = """
            SELECT f.id, f.state
              FROM (SELECT a.id, (SELECT CASE WHEN %s THEN 'running' ELSE w.state END FROM rowlock.workflow w WHERE w.id = a.id) AS state
                      FROM unnest(:ids::bigint[]) AS a (id) OFFSET 0) AS f
             WHERE f.state IS NULL OR f.state NOT IN ('running', 'cancelling')
            """.formatted(REDRIVEN);

    /**
     * A workflow that has ended.
     *
     * @param state null: there is no such workflow
     */
    public record Ended(long id, @Nullable String state) {}

    private static final Row<WorkflowSummary> SUMMARY = row -> new WorkflowSummary(
            row.getLong(1),
            row.getString(2),
            WorkflowState.of(row.getString(3)),
            Objects.requireNonNull(Columns.instant(row, 4)),
            Columns.instant(row, 5));

    private final Database database;

    public ReadWorkflows(Database database) {
        this.database = database;
    }

    public List<WorkflowSummary> list(@Nullable Long before, int limit) {
        return database.joined(connection -> on(connection, LIST)
                .set("before", before == null ? Long.MAX_VALUE : before)
                .set("limit", limit)
                .list(SUMMARY));
    }

    public Optional<WorkflowDetails> find(long workflow) {
        return database.joinedAtomically(database.standing(), connection -> find(connection, workflow));
    }

    /** The same, outside the caller's transaction, whose snapshot may be old. */
    public Optional<WorkflowDetails> findOutside(long workflow) {
        return database.atomically(connection -> find(connection, workflow));
    }

    /** Whether the caller has an open transaction, and that sees the workflow. */
    public boolean seenHere(long workflow) {
        return database.standing().joins() && find(workflow).isPresent();
    }

    private Optional<WorkflowDetails> find(Connection connection, long workflow) throws SQLException {
        return on(connection, ONE).set("workflow", workflow).first(row -> {
            WorkflowSummary summary = SUMMARY.read(row);
            return new WorkflowDetails(
                    summary, Columns.number(row, 6), steps(connection, workflow, summary.endedAt() != null));
        });
    }

    private List<WorkflowStep> steps(Connection connection, long workflow, boolean ended) throws SQLException {
        Map<Integer, Map<String, RunsAfter>> parents = parents(connection, workflow);
        Map<Integer, WorkflowStep> steps = new TreeMap<>();
        on(connection, STEPS)
                .set("workflow", workflow)
                .list(row -> steps.merge(
                        row.getInt(1),
                        new WorkflowStep(
                                row.getString(2),
                                row.getBoolean(3),
                                row.getBoolean(4),
                                parents.getOrDefault(row.getInt(1), Map.of()),
                                counts(row.getInt(5), row.getLong(6))),
                        ReadWorkflows::together));
        return steps.values().stream().map(step -> settled(step, ended)).toList();
    }

    /** A step whose jobs were cancelled, or have run ahead of their turn, has ended, although its row may say for ever that it waits. */
    private static WorkflowStep settled(WorkflowStep step, boolean ended) {
        boolean over = ended
                || !step.accepts() && step.counts().jobs() > 0 && step.counts().open() == 0;
        return new WorkflowStep(step.name(), step.waiting() && !over, step.accepts(), step.parents(), step.counts());
    }

    private static WorkflowStep together(WorkflowStep one, WorkflowStep other) {
        return new WorkflowStep(
                one.name(),
                one.waiting(),
                one.accepts(),
                one.parents(),
                one.counts().plus(other.counts()));
    }

    private static StepCounts counts(int state, long jobs) {
        return new StepCounts(
                state == 0 ? jobs : 0,
                state == 2 ? jobs : 0,
                state == 1 ? jobs : 0,
                state == 3 ? jobs : 0,
                state == 4 ? jobs : 0);
    }

    private Map<Integer, Map<String, RunsAfter>> parents(Connection connection, long workflow) throws SQLException {
        Map<Integer, Map<String, RunsAfter>> parents = new LinkedHashMap<>();
        on(connection, EDGES)
                .set("workflow", workflow)
                .list(row -> parents.computeIfAbsent(row.getInt(1), child -> new LinkedHashMap<>())
                        .put(row.getString(2), RunsAfter.of(row.getString(3))));
        return parents;
    }

    /** Jobs of one step behind this one, by id; workflows among them have negative ones. */
    public List<WorkflowJob> jobs(long workflow, String step, long after, int limit) {
        return database.joined(connection -> on(connection, JOBS)
                .set("behind", after)
                .set("limit", limit)
                .set("workflow", workflow)
                .set("step", step)
                .list(row -> job(row.getLong(1), row.getString(2), row.getInt(3))));
    }

    private static WorkflowJob job(long id, String step, int state) {
        return new WorkflowJob(id, id < 0 ? -id : null, step, WorkflowJob.State.values()[state]);
    }

    /** The workflow of a job; empty: none. */
    public Optional<Long> ofJob(long job) {
        return database.joined(
                connection -> on(connection, OF_JOB).set("job", job).first(row -> row.getLong(1)));
    }

    /** Which of these have ended, and how. Outside the caller's transaction. */
    public List<Ended> ended(long[] ids) {
        return database.alone(connection ->
                on(connection, ENDED).set("ids", ids).list(row -> new Ended(row.getLong(1), row.getString(2))));
    }

    private ColdStatement on(Connection connection, String sql) {
        return ColdStatement.on(connection, database.sql(sql));
    }
}
