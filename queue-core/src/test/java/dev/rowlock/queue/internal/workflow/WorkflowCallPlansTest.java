package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.TableStatistics;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.workflow.CreateWorkflow.Member;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** What applications call: starting workflows, adding to them and cancelling them looks up what it needs in full tables. */
@PostgresTest(migrated = true)
class WorkflowCallPlansTest {

    private static final NewJob JOB = Rooms.job(Due.after(Duration.ZERO));

    private final TestDatabase test;
    private final Rooms rooms;
    private final FullWorkflows tables;

    WorkflowCallPlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        this.tables = new FullWorkflows(test);
        rooms.execute("ALTER SEQUENCE rowlock.job_id RESTART 100000000"); // not an id of those that are there
    }

    @ParameterizedTest
    @EnumSource(names = {"FRESH", "OF_AN_EMPTY_TABLE"})
    void eachRowIsLookedUpAlsoWithTheStatisticsOfAnEmptyTable(TableStatistics statistics) throws Exception {
        requireLookUps(statistics);
    }

    @LongRunning
    @ParameterizedTest
    @EnumSource(
            names = {"FRESH", "OF_AN_EMPTY_TABLE"},
            mode = EnumSource.Mode.EXCLUDE)
    void eachRowIsLookedUpWhateverTheStatisticsSay(TableStatistics statistics) throws Exception {
        requireLookUps(statistics);
    }

    private void requireLookUps(TableStatistics statistics) throws Exception {
        fill();
        tables.tell(statistics);

        for (Plans kind : List.of(Plans.CUSTOM, Plans.GENERIC)) {
            try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), kind)) {
                callAll(explained.database(), kind == Plans.CUSTOM ? 100 : 200);

                requireLookUps(explained.plans());
            }
        }
    }

    @Test
    void plansFromTheTimeWhenTheTablesWereEmptyLookUpEachRowInFullOnes() throws Exception {
        tables.analyze();
        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), Plans.GENERIC)) {
            callAll(explained.database(), 100);
            rooms.execute(
                    "TRUNCATE rowlock.workflow, rowlock.workflow_step, rowlock.workflow_edge, rowlock.workflow_job,"
                            + " rowlock.waiting, rowlock.ready");
            fill();
            int before = explained.plans().size();

            callAll(explained.database(), 100);

            requireLookUps(explained.plans().subList(before, explained.plans().size()));
        }
    }

    private static void requireLookUps(List<String> plans) {
        // What a bitmap brings, an index has found; reading in vain is told apart.
        assertThat(plans)
                .hasSize(13)
                .flatExtracting(FullWorkflows::broken)
                .filteredOn(broken -> !broken.startsWith("Bitmap Heap Scan"))
                .isEmpty();
    }

    /** The jobs of all fifth steps run, ahead of their turn; and so much has ended, or is ready, that nobody reads all of it. */
    private void fill() {
        tables.fill();
        rooms.execute("INSERT INTO rowlock.workflow (id, name, state, ended_at)"
                + " SELECT i, 'w', 'completed', now() FROM generate_series(30000, 60000) AS i");
        rooms.execute("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload)
                SELECT i, now(), now(), 0, 0, 0, 0, 'q', 't', '{}' FROM generate_series(30000000, 30020000) AS i
                """);
        rooms.execute("""
                WITH early AS (DELETE FROM rowlock.waiting WHERE id %% 10000 = 5 RETURNING *)
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload)
                SELECT id, id, 1, now(), enqueued_at, now(), rank, 1, 0, queue, type, payload FROM early
                """.replace("%%", "%"));
    }

    private void callAll(Database database, long workflow) {
        long job = workflow * 10_000 + 5;
        boolean full = rooms.count("running") > 0;
        LockStep lock = new LockStep(database.schema());
        StepResults results = new StepResults(database, new JacksonPayloadCodec(JsonMapper.shared()));
        database.atomically(connection -> {
            assertThat(lock.ofJob(connection, new Claim(job, job)).isPresent()).isEqualTo(full);
            assertThat(lock.named(connection, workflow, "s7").isPresent()).isEqualTo(full);
            long created = new CreateWorkflow(database.schema())
                    .run(
                            connection,
                            "new",
                            Workflow.named("new")
                                    .step("a", "1")
                                    .step("b", "2", step -> step.after("a"))
                                    .steps(),
                            full ? new StepKey(workflow, 5) : null);
            return new CreateWorkflow(database.schema())
                    .insertJobs(
                            connection,
                            created,
                            List.of(new Member(JOB, 0, false, List.of(1)), new Member(JOB, 1, true, List.of())));
        });
        // The fifth step of a chain reads the one before it, and the first one, which a walk has to find.
        assertThat(results.results(job, "s4", 0, 100).direct()).isEqualTo(full);
        assertThat(results.later(new StepKey(workflow, 5), 0)
                        .filter(StepResults.Later::runsAfter)
                        .isPresent())
                .isEqualTo(full);
        List<String> names = database.atomically(connection -> results.names(connection, workflow));
        assertThat(names).hasSize(full ? 10 : 0);
        CancelWorkflows cancel = new CancelWorkflows(database);
        boolean begun =
                cancel.begin(workflow, new AuditNote("ada", null, "cancel workflow", "workflow " + workflow, null));
        assertThat(begun).isEqualTo(full);
        assertThat(cancel.next(workflow - 1, 1)).isEqualTo(full ? List.of(workflow) : List.of());
        assertThat(cancel.jobs(workflow, -1, Long.MIN_VALUE, 1_000).asked()).isEqualTo(full ? 1 : 0);
    }
}
