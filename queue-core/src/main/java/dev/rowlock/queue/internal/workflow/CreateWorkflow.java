package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.internal.enqueue.IntoRooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.workflow.RunsAfter;
import dev.rowlock.queue.workflow.StepOptions;
import dev.rowlock.queue.workflow.Workflow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Inserts a workflow with its steps, and jobs of a workflow. */
final class CreateWorkflow {

    /** Inserts a workflow with its steps. */
    private static final String CREATE = """
            WITH created AS (
                INSERT INTO rowlock.workflow (id, name) VALUES (nextval('rowlock.job_id'), :name)
                RETURNING id
            ), steps AS (
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts, due_at, delay_millis)
                SELECT c.id, s.step_no, s.name, s.state, s.accepts, s.due_at, s.delay_millis
                  FROM created c, unnest(:step_nos::int[], :names::text[], :states::text[], :accepts::boolean[], :due_ats::timestamptz[], :delays::bigint[])
                       AS s (step_no, name, state, accepts, due_at, delay_millis)
            ), edges AS (
                INSERT INTO rowlock.workflow_edge (workflow_id, parent_no, child_no, runs_after)
                SELECT c.id, e.parent_no, e.child_no, e.runs_after
                  FROM created c, unnest(:parents::int[], :children::int[], :runs_after::text[]) AS e (parent_no, child_no, runs_after)
            ), member AS (
                -- It counts as one more job of the step to which the job belongs that starts it.
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no)
                SELECT -c.id, :within_workflow::bigint, :within_step::int FROM created c WHERE :within_workflow::bigint IS NOT NULL
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

    private final Schema schema;
    private final String insertJobs;

    public CreateWorkflow(Schema schema) {
        this.schema = schema;
        this.insertJobs = schema.sql(INSERT_JOBS);
    }

    /**
     * Inserts a workflow with its steps, which are numbered as they come, without their jobs. Returns its id.
     *
     * @param within the step of which it counts as a job; null: none
     */
    public long run(Connection connection, String name, List<Workflow.Step> steps, @Nullable StepKey within)
            throws SQLException {
        List<Edge> edges = edges(steps);
        return ColdStatement.on(connection, schema.sql(CREATE))
                .set("name", name)
                .set("step_nos", IntStream.range(0, steps.size()).toArray())
                .set("names", Columns.texts(steps, Workflow.Step::name))
                .set("states", Columns.texts(steps, step -> waits(step) ? "waiting" : "released"))
                .set("accepts", Columns.flags(steps, step -> step.options().accepts()))
                .set("due_ats", Columns.instants(steps, step -> due(step, Due::at)))
                .set("delays", Columns.millis(steps, step -> due(step, Due::after)))
                .set("parents", edges.stream().mapToInt(Edge::parent).toArray())
                .set("children", edges.stream().mapToInt(Edge::child).toArray())
                .set("runs_after", Columns.texts(edges, edge -> edge.when().label()))
                .set("within_workflow", within == null ? null : within.workflow())
                .set("within_step", within == null ? null : within.step())
                .only(row -> row.getLong(1));
    }

    private static List<Edge> edges(List<Workflow.Step> steps) {
        Map<String, Integer> numbers = new HashMap<>();
        steps.forEach(step -> numbers.put(step.name(), numbers.size()));
        List<Edge> edges = new ArrayList<>();
        for (Workflow.Step step : steps) {
            int child = Objects.requireNonNull(numbers.get(step.name()));
            step.options().parents().forEach((parent, when) -> {
                edges.add(new Edge(Objects.requireNonNull(numbers.get(parent)), child, when));
            });
        }
        return edges;
    }

    /** Whether jobs of this step have to wait for others. */
    static boolean waits(Workflow.Step step) {
        return !step.options().parents().isEmpty();
    }

    /** Of its jobs once they are released; null: at once. */
    private static <T> @Nullable T due(Workflow.Step step, Function<Due, @Nullable T> part) {
        Due due = step.options().job().due();
        return due == null ? null : part.apply(due);
    }

    /**
     * Finds the steps that wait for one job only, so that its end lets them run, whatever else happens in the workflow. For each step the numbers
     * of those that run as soon as its only job has completed; empty where there is more to be decided then.
     */
    static List<List<Integer>> next(List<Workflow.Step> steps) {
        Map<Integer, List<Integer>> after = new HashMap<>();
        edges(steps)
                .forEach(edge -> after.computeIfAbsent(edge.parent(), parent -> new ArrayList<>())
                        .add(edge.child()));
        return IntStream.range(0, steps.size())
                .mapToObj(number -> {
                    List<Integer> next = after.getOrDefault(number, List.of());
                    Workflow.Step step = steps.get(number);
                    boolean alone =
                            step.payloads().size() == 1 && !step.options().accepts();
                    return alone && next.stream().allMatch(child -> waitsForOneOnly(steps.get(child)))
                            ? next
                            : List.<Integer>of();
                })
                .toList();
    }

    private static boolean waitsForOneOnly(Workflow.Step step) {
        StepOptions options = step.options();
        return options.parents().size() == 1
                && !options.parents().containsValue(RunsAfter.FAILURE)
                && !options.accepts()
                && options.job().due() == null
                && step.payloads().size() < Progress.FEW;
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
}
