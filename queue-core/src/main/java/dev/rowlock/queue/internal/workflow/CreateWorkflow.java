package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.internal.enqueue.IntoRooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.workflow.RunsAfter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Inserts a workflow with its steps, and jobs of a workflow. */
final class CreateWorkflow {

    private static final String CREATE = """
            WITH created AS (
                INSERT INTO rowlock.workflow (id, name) VALUES (nextval('rowlock.job_id'), ?)
                RETURNING id
            ), steps AS (
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts, due_at, delay_millis)
                SELECT c.id, s.step_no, s.name, s.state, s.accepts, s.due_at, s.delay_millis
                  FROM created c, unnest(?::int[], ?::text[], ?::text[], ?::boolean[], ?::timestamptz[], ?::bigint[])
                       AS s (step_no, name, state, accepts, due_at, delay_millis)
            ), edges AS (
                INSERT INTO rowlock.workflow_edge (workflow_id, parent_no, child_no, runs_after)
                SELECT c.id, e.parent_no, e.child_no, e.runs_after
                  FROM created c, unnest(?::int[], ?::int[], ?::text[]) AS e (parent_no, child_no, runs_after)
            ), member AS (
                -- It counts as one more job of the step to which the job belongs that starts it.
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no)
                SELECT -c.id, ?, ? /* step_no */ FROM created c WHERE ? /* within_workflow */
            )
            SELECT id FROM created
            """;

    /** A due time that does not come: the last one that a job may have. */
    public static final Due NEVER = Due.at(Instant.parse("2255-01-01T00:00:00Z"));

    private static final String INSERT_JOBS = """
            WITH created AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.*
                  FROM unnest(%s, ?::int[], ?::boolean[], ?::text[]) AS j (%s, step_no, held, next_steps)
            """.formatted(NewJob.PARAMETERS, NewJob.COLUMNS)
            + IntoRooms.ASIDE
            + IntoRooms.readyOrWaiting(
                    "CASE WHEN held THEN '%s' ELSE 'scheduled' END".formatted(WaitReason.PARENTS.label()))
            + """
            , members AS (
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, next_steps)
                SELECT id, ?, step_no, next_steps::int[] FROM created
            )
            SELECT id FROM created ORDER BY id
            """;

    /**
     * One of them.
     *
     * @param held whether its step waits for others
     * @param next the steps that wait for nothing else; empty: there are none, or there is more to be decided behind it
     */
    public record Member(NewJob job, int step, boolean held, List<Integer> next) {

        NewJob asInserted() {
            return held ? job.with(job.headers(), NEVER) : job;
        }

        /** As the server reads an array. */
        @Nullable
        String nextSteps() {
            return next.isEmpty()
                    ? null
                    : next.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
        }
    }

    private record Edge(int parent, int child, RunsAfter when) {}

    private final String create;
    private final String insertJobs;

    public CreateWorkflow(Schema schema) {
        this.create = schema.sql(CREATE);
        this.insertJobs = schema.sql(INSERT_JOBS);
    }

    /**
     * Inserts a workflow with its steps, without their jobs. Returns its id.
     *
     * @param within the step of which it counts as a job; null: none
     */
    public long run(Connection connection, String name, List<NewStep> steps, @Nullable StepKey within)
            throws SQLException {
        List<Edge> edges = steps.stream()
                .flatMap(step -> step.parents().entrySet().stream().map(parent -> edge(step, parent)))
                .toList();
        try (PreparedStatement statement = UncachedPlan.prepare(connection, create)) {
            statement.setString(1, name);
            statement.setObject(2, steps.stream().mapToInt(NewStep::number).toArray());
            statement.setObject(3, Columns.texts(steps, NewStep::name));
            statement.setObject(4, Columns.texts(steps, step -> step.waits() ? "waiting" : "released"));
            statement.setObject(5, Columns.flags(steps, NewStep::accepts));
            statement.setObject(6, Columns.instants(steps, step -> due(step, Due::at)));
            statement.setObject(7, Columns.millis(steps, step -> due(step, Due::after)));
            statement.setObject(8, edges.stream().mapToInt(Edge::parent).toArray());
            statement.setObject(9, edges.stream().mapToInt(Edge::child).toArray());
            statement.setObject(10, Columns.texts(edges, edge -> edge.when().label()));
            statement.setLong(11, within == null ? 0 : within.workflow());
            statement.setInt(12, within == null ? 0 : within.step());
            statement.setBoolean(13, within != null);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static Edge edge(NewStep step, Map.Entry<Integer, RunsAfter> parent) {
        return new Edge(parent.getKey(), step.number(), parent.getValue());
    }

    private static <T> @Nullable T due(NewStep step, Function<Due, @Nullable T> part) {
        return step.due() == null ? null : part.apply(step.due());
    }

    /** Inserts jobs. Those whose step waits for others lie in waiting, with a due time that never comes. Returns their ids in the same order. */
    public long[] insertJobs(Connection connection, long workflow, List<Member> members) throws SQLException {
        List<NewJob> jobs = members.stream().map(Member::asInserted).toList();
        try (PreparedStatement statement = UncachedPlan.prepare(connection, insertJobs)) {
            int next = NewJob.setAll(statement, 1, jobs);
            statement.setObject(next++, members.stream().mapToInt(Member::step).toArray());
            statement.setObject(next++, Columns.flags(members, Member::held));
            statement.setObject(next++, Columns.texts(members, Member::nextSteps));
            statement.setLong(next, workflow);
            try (ResultSet rows = statement.executeQuery()) {
                return Ids.read(rows, jobs.size());
            }
        }
    }

    /**
     * A step on its way into the tables.
     *
     * @param parents numbers of the steps that come first
     * @param due of its jobs once they are released; null: at once
     */
    public record NewStep(
            int number,
            String name,
            boolean accepts,
            @Nullable Due due,
            Map<Integer, RunsAfter> parents) {

        public boolean waits() {
            return !parents.isEmpty();
        }
    }
}
