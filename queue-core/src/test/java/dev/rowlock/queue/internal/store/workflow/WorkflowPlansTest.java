package dev.rowlock.queue.internal.store.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.ExplainedDatabase;
import dev.rowlock.queue.internal.store.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs.Place;
import dev.rowlock.queue.internal.store.workflow.MarkEndedJobs.Touched;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The statements of workflows look up what they need in full tables, whatever the statistics say, and whenever their plans were made. */
@PostgresTest(migrated = true)
class WorkflowPlansTest {

    /** Workflows 1 to 1,000 are chains of ten steps, workflow 2,000 is one of 10,000; step {@code n} of workflow {@code w} has the job {@code w * 10,000 + n}. */
    private static final int CHAINS = 1_000;

    private static final long LONG_CHAIN = 2_000;
    private static final int LOOKED_AT = 20;

    private static final List<String> TABLES = List.of(
            "workflow", "workflow_step", "workflow_edge", "workflow_job", "waiting", "ready", "running", "done");

    /** What the planner is told. */
    enum Statistics {
        FRESH("ANALYZE rowlock.%1$s"),
        NONE(
                "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid = 'rowlock.%1$s'::regclass",
                "DELETE FROM pg_statistic WHERE starelid = 'rowlock.%1$s'::regclass"),
        OF_AN_EMPTY_TABLE(
                "UPDATE pg_class SET reltuples = 0, relpages = 0 WHERE oid = 'rowlock.%1$s'::regclass",
                "DELETE FROM pg_statistic WHERE starelid = 'rowlock.%1$s'::regclass"),
        OF_AN_EMPTIED_TABLE(
                "UPDATE pg_class SET reltuples = 0, relpages = 5000 WHERE oid = 'rowlock.%1$s'::regclass",
                "DELETE FROM pg_statistic WHERE starelid = 'rowlock.%1$s'::regclass");

        private final List<String> statements;

        Statistics(String... statements) {
            this.statements = List.of(statements);
        }
    }

    private static final Pattern SCAN = Pattern.compile(
            "(Seq|Bitmap Heap|Index|Index Only) Scan (?:Backward )?(?:using (\\w+) )?on (\\w+)[^\\n]*\\n(?:\\s+Disabled: true\\n)?(?:\\s+Index Cond: \\(+([^\\n]*))?");

    /** With what the conditions of each index begin. A walk begins with the workflow where it stopped. */
    private static final Map<String, Pattern> BEGINS = Map.of(
            "workflow_pkey", Pattern.compile("id (=|>=) "),
            "workflow_open", Pattern.compile("id (=|>=) "),
            "workflow_step_pkey", Pattern.compile("workflow_id = "),
            "workflow_edge_pkey", Pattern.compile("workflow_id = .* AND \\(child_no >= "),
            "workflow_edge_by_parent", Pattern.compile("workflow_id = .* AND \\(parent_no >= "),
            "workflow_job_pkey", Pattern.compile("job_id = "),
            "workflow_job_by_step", Pattern.compile("workflow_id = .* AND \\((ROW\\()?state"),
            "waiting_pkey", Pattern.compile("id = "),
            "ready_pkey", Pattern.compile("id = "),
            "running_pkey", Pattern.compile("id = "));

    /** These hold what is to be found, and nothing else. */
    private static final Pattern SMALL = Pattern.compile("workflow_step_(moving|accepting)");

    private static final Pattern VAIN =
            Pattern.compile("[^\\n]*\\n[^\\n]*\\n\\s+Rows Removed by (Join )?Filter: [1-9][0-9]{2,}");

    private final TestDatabase test;
    private final Rooms rooms;

    WorkflowPlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        TABLES.stream()
                .filter(table -> !table.equals("done"))
                .forEach(table ->
                        rooms.execute("ALTER TABLE rowlock.%s SET (autovacuum_enabled = off)".formatted(table)));
        rooms.execute("TRUNCATE rowlock.workflow, rowlock.workflow_step, rowlock.workflow_edge, rowlock.workflow_job");
    }

    /** Chains whose first jobs have ended, as nobody has noted yet. */
    private void fill() {
        rooms.execute(
                "INSERT INTO rowlock.workflow (id, name) SELECT i, 'w' FROM generate_series(1, %d) AS i UNION ALL SELECT %d, 'w'"
                        .formatted(CHAINS, LONG_CHAIN));
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                SELECT w.id, n, 's' || n, CASE n WHEN 0 THEN 'released' ELSE 'waiting' END, false
                  FROM rowlock.workflow w, generate_series(0, CASE w.id WHEN %d THEN 9999 ELSE 9 END) AS n
                """.formatted(LONG_CHAIN));
        rooms.execute(
                "INSERT INTO rowlock.workflow_edge SELECT workflow_id, step_no - 1, step_no, 'success' FROM rowlock.workflow_step WHERE step_no > 0");
        rooms.execute(
                "INSERT INTO rowlock.workflow_job SELECT workflow_id * 10000 + step_no, workflow_id, step_no FROM rowlock.workflow_step");
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, max_retries, reason, queue, type, payload)
                SELECT job_id, '2255-01-01', now(), 0, 0, 0, 0, 'parents', 'q', 't', '{}' FROM rowlock.workflow_job WHERE step_no > 0
                """);
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                SELECT job_id, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'completed' FROM rowlock.workflow_job WHERE step_no = 0
                """);
    }

    private void tell(Statistics statistics) {
        TABLES.forEach(table -> statistics.statements.forEach(statement -> rooms.execute(statement.formatted(table))));
    }

    @ParameterizedTest
    @EnumSource(Statistics.class)
    void eachStepIsLookedUpWhateverTheStatisticsSay(Statistics statistics) throws Exception {
        fill();
        tell(statistics);

        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.CUSTOM)) {
            runAll(explained, 1);

            assertThat(explained.plans())
                    .hasSizeGreaterThan(12)
                    .flatExtracting(WorkflowPlansTest::broken)
                    .isEmpty();
            assertThat(explained.genericPlans())
                    .isGreaterThanOrEqualTo(explained.plans().size());
        }
    }

    @Test
    void plansFromTheTimeWhenTheTablesWereEmptyLookUpEachStepInFullOnes() throws Exception {
        TABLES.forEach(table -> rooms.execute("VACUUM ANALYZE rowlock." + table));
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.GENERIC)) {
            runAll(explained, 1);
            fill();
            int before = explained.plans().size();

            runAll(explained, 1);

            List<String> plans = explained.plans();
            assertThat(plans.subList(before, plans.size()))
                    .hasSizeGreaterThan(12)
                    .flatExtracting(WorkflowPlansTest::broken)
                    .isEmpty();
        }
    }

    /** What a node does, one round: for chains, and for steps of a long one. */
    private void runAll(ExplainedDatabase explained, long first) {
        MarkEndedJobs mark = new MarkEndedJobs(explained.database());
        DecideSteps decide = new DecideSteps(explained.database());
        MoveSteps move = new MoveSteps(explained.database());
        EndWorkflows end = new EndWorkflows(explained.database());
        List<Long> workflows =
                LongStream.range(first, first + LOOKED_AT).boxed().toList();
        boolean full = rooms.count("workflow_step") > 0;

        List<Touched> touched =
                mark.heard(workflows.stream().map(id -> id * 10_000).toList());
        mark.stretch(new Place(CHAINS / 2, 0, 3, 0), LOOKED_AT);
        int released = decide.after(touched, 20).released().size();
        List<StepKey> ofLong = IntStream.range(5_000, 5_000 + LOOKED_AT)
                .mapToObj(step -> new StepKey(LONG_CHAIN, step))
                .toList();
        decide.after(ofLong.stream().map(step -> new Touched(step, true, false)).toList(), 20);
        decide.themselves(ofLong, 20);
        new FindUndecidedSteps(explained.database()).run(new StepKey(CHAINS / 2, 3), LOOKED_AT);
        new FindUndecidedSteps(explained.database()).run(new StepKey(LONG_CHAIN, 7_000), LOOKED_AT);
        rooms.execute(
                "UPDATE rowlock.workflow_step SET state = 'releasing' WHERE workflow_id = 2000 AND step_no BETWEEN 6000 AND 6009");
        rooms.execute(
                "UPDATE rowlock.workflow_step SET state = 'skipping' WHERE workflow_id = 2000 AND step_no BETWEEN 6010 AND 6019");
        List<StepKey> left = move.left(LOOKED_AT);
        int moved = move.run(left, 0, 20).steps().size();
        end.find(workflows);
        end.run(workflows);

        // So that the plans are those of statements that had something to do.
        assertThat(List.of(touched.size(), released, left.size(), moved))
                .allMatch(count -> count == (full ? LOOKED_AT : 0));
    }

    /** What reads a table otherwise than by the beginning of an index, or reads in vain. */
    private static List<String> broken(String plan) {
        List<String> broken = new ArrayList<>();
        Matcher scan = SCAN.matcher(plan);
        while (scan.find()) {
            String index = String.valueOf(scan.group(2));
            if (TABLES.contains(scan.group(3)) && !SMALL.matcher(index).matches()) {
                Pattern begins = BEGINS.get(index);
                if (begins == null
                        || !begins.matcher(String.valueOf(scan.group(4))).lookingAt()) {
                    broken.add(scan.group());
                }
            }
        }
        Matcher vain = VAIN.matcher(plan);
        while (vain.find()) {
            broken.add(vain.group());
        }
        return broken;
    }
}
