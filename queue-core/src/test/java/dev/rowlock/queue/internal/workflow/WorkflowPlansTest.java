package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.TableStatistics;
import dev.rowlock.queue.internal.workflow.FindSteps.JobPosition;
import dev.rowlock.queue.internal.workflow.MoveSteps.Walk;
import dev.rowlock.queue.internal.workflow.NoteEnds.Touched;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The statements of workflows look up what they need in full tables, whatever the statistics say, and whenever their plans were made. */
@PostgresTest(migrated = true)
class WorkflowPlansTest {

    private static final int LOOKED_AT = 20;

    private final TestDatabase test;
    private final Rooms rooms;
    private final FullWorkflows tables;

    WorkflowPlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        this.tables = new FullWorkflows(test);
    }

    @ParameterizedTest
    @EnumSource(names = {"FRESH", "OF_AN_EMPTY_TABLE"})
    void eachStepIsLookedUpAlsoWithTheStatisticsOfAnEmptyTable(TableStatistics statistics) throws Exception {
        requireLookUps(statistics);
    }

    @LongRunning
    @ParameterizedTest
    @EnumSource(
            names = {"FRESH", "OF_AN_EMPTY_TABLE"},
            mode = EnumSource.Mode.EXCLUDE)
    void eachStepIsLookedUpWhateverTheStatisticsSay(TableStatistics statistics) throws Exception {
        requireLookUps(statistics);
    }

    private void requireLookUps(TableStatistics statistics) throws Exception {
        tables.fill();
        tables.tell(statistics);

        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.CUSTOM)) {
            runAll(explained, 1);

            assertThat(explained.plans())
                    .hasSizeGreaterThan(13)
                    .flatExtracting(FullWorkflows::broken)
                    .isEmpty();
            assertThat(explained.genericPlans())
                    .isGreaterThanOrEqualTo(explained.plans().size());
        }
    }

    @Test
    void plansFromTheTimeWhenTheTablesWereEmptyLookUpEachStepInFullOnes() throws Exception {
        tables.analyze();
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.GENERIC)) {
            runAll(explained, 1);
            tables.fill();
            int before = explained.plans().size();

            runAll(explained, 1);

            List<String> plans = explained.plans();
            assertThat(plans.subList(before, plans.size()))
                    .hasSizeGreaterThan(13)
                    .flatExtracting(FullWorkflows::broken)
                    .isEmpty();
        }
    }

    /** PostgreSQL updates a row in place only if no index has a column that changes, be it in its condition only. */
    @Test
    void noIndexHasAStateSoThatEndsAndReleasesAreNotedInPlace() {
        List<String> indexes = JdbcClient.create(test.dataSource())
                .sql("""
                        SELECT d.objid::regclass::text
                          FROM pg_depend d
                          JOIN pg_index i ON i.indexrelid = d.objid
                          JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                         WHERE d.classid = 'pg_class'::regclass AND a.attname = 'state'
                           AND d.refobjid = ANY (ARRAY['rowlock.workflow_job', 'rowlock.workflow_step']::regclass[])
                        """)
                .query(String.class)
                .list();

        assertThat(indexes).isEmpty();
    }

    /** What a node does, one round: for chains, and for steps of a long one. */
    private void runAll(ExplainedDatabase explained, long first) {
        NoteEnds note = new NoteEnds(explained.database());
        DecideSteps decide = new DecideSteps(explained.database());
        MoveSteps move = new MoveSteps(explained.database());
        EndWorkflows end = new EndWorkflows(explained.database());
        List<Long> workflows =
                LongStream.range(first, first + LOOKED_AT).boxed().toList();
        boolean full = rooms.count("workflow_step") > 0;

        List<Touched> touched =
                note.alone(workflows.stream().map(id -> id * 10_000).toList());
        FindSteps find = new FindSteps(explained.database());
        find.open(new JobPosition(FullWorkflows.CHAINS / 2, 3, 0), LOOKED_AT);
        int released = decide.after(touched, 20).released().steps().size();
        int next = note.andRelease(
                        workflows.stream().map(id -> (LOOKED_AT + id) * 10_000).toList(), 20)
                .released()
                .steps()
                .size();
        List<StepKey> ofLong = IntStream.range(2_000, 2_000 + LOOKED_AT)
                .mapToObj(step -> new StepKey(FullWorkflows.LONG_CHAIN, step))
                .toList();
        decide.after(ofLong.stream().map(step -> new Touched(step, true, false)).toList(), 20);
        decide.themselves(ofLong, 20);
        find.undecided(new StepKey(FullWorkflows.CHAINS / 2, 3), LOOKED_AT);
        find.undecided(new StepKey(FullWorkflows.LONG_CHAIN, 3_000), LOOKED_AT);
        rooms.execute(
                "UPDATE rowlock.workflow_step SET state = 'releasing' WHERE workflow_id = 2000 AND step_no BETWEEN 2500 AND 2509");
        rooms.execute(
                "UPDATE rowlock.workflow_step SET state = 'skipping' WHERE workflow_id = 2000 AND step_no BETWEEN 2510 AND 2519");
        List<StepKey> left = find.moving(new StepKey(1, 0), LOOKED_AT);
        List<Long> refused = move.names(
                new Walk(left.subList(0, Math.min(1, left.size())), MoveSteps.MOVING, 0, 20, Set.of()), List.of());
        move.named(refused);
        Set<StepKey> busy = move.busy(left);
        int moved = move.run(new Walk(left, MoveSteps.MOVING, 0, 20, busy), List.of(1L))
                .steps
                .size();
        end.find(workflows);
        end.run(workflows);

        // So that the plans are those of statements that had something to do.
        assertThat(List.of(touched.size(), released, next, left.size(), moved))
                .allMatch(count -> count == (full ? LOOKED_AT : 0));
    }
}
