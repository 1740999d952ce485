package dev.rowlock.queue.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.TableStatistics;
import dev.rowlock.queue.internal.policy.PolicyStatements.WaitingPosition;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The statements about policies read full rooms through their indexes, also where their plans were made for empty ones. */
@PostgresTest(migrated = true)
class PolicyPlansTest {

    private static final Duration HOLD = Duration.ofSeconds(10);
    private static final int FULL = 20_000;
    private static final int CHOSEN = 1_000;
    private static final int FEW = 10;
    private static final String WHOLE_TABLE =
            "Seq Scan on (ready|waiting|held_job|admitted_job) |(ready|waiting|held_job)_pkey on [a-z_0-9 ]*\\([^\\n]*actual rows=[0-9]{3,}";

    private static final List<String> TABLES = List.of("ready", "waiting", "running", "held_job", "admitted_job");

    private final TestDatabase test;
    private final Rooms rooms;
    private final Schema schema = new Schema("rowlock");

    PolicyPlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @Test
    void plansFromTheTimeWhenTheRoomsWereEmptyReadFullOnesThroughTheirIndexes() throws Exception {
        rooms.execute(
                "VACUUM ANALYZE rowlock.ready, rowlock.waiting, rowlock.running, rowlock.held_job, rowlock.admitted_job");
        long node = rooms.node();
        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.GENERIC)) {
            run(explained, node);
            rooms.ready(FULL);
            new PolicyStatements(rooms.database()).admit(Rooms.QUEUE, node, List.of(), HOLD);
            new PolicyStatements(rooms.database()).hold(Rooms.QUEUE, FULL - 1_000);
            int before = explained.plans().size();

            run(explained, node);

            List<String> plans = explained.plans();
            assertThat(plans.subList(before, plans.size()))
                    .isNotEmpty()
                    .allSatisfy(plan -> assertThat(plan).doesNotContainPattern(WHOLE_TABLE));
            assertThat(String.join("\n", plans.subList(before, plans.size())))
                    .containsPattern("Index Scan using ready_in_order on ready .*actual rows=(10|20)")
                    .containsPattern("Index Scan using held_job_in_order on held_job .*actual rows=1000");
        }
    }

    @ParameterizedTest
    @EnumSource(TableStatistics.class)
    void fullRoomsAreReadThroughTheirIndexesWhateverTheStatisticsSay(TableStatistics statistics) throws Exception {
        TABLES.forEach(table -> rooms.execute("ALTER TABLE rowlock." + table + " SET (autovacuum_enabled = off)"));
        long node = rooms.node();
        rooms.ready(FULL);
        new PolicyStatements(rooms.database()).admit(Rooms.QUEUE, node, List.of(), HOLD);
        new PolicyStatements(rooms.database()).hold(Rooms.QUEUE, FULL - 1_000);
        statistics.tell(rooms, TABLES);

        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.CUSTOM)) {
            run(explained, node);

            assertThat(explained.plans())
                    .hasSizeGreaterThan(7)
                    .allSatisfy(plan -> assertThat(plan).doesNotContainPattern(WHOLE_TABLE));
        }
    }

    /** Each claim asks for them, while as many stand chosen as a policy may choose, and the server believes that they are few. */
    @Test
    void marksOfChosenJobsAreFoundOneByOneNotBySearchingThroughAllOfThem() throws Exception {
        long node = rooms.node();
        rooms.ready(FULL);
        rooms.execute("ANALYZE rowlock.ready");
        new PolicyStatements(rooms.database()).take(Rooms.QUEUE, node, Duration.ofSeconds(3));
        PolicyStatements policies = new PolicyStatements(rooms.database());
        policies.admit(Rooms.QUEUE, node, List.of(), HOLD);
        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.GENERIC)) {
            PolicyStatements hold = new PolicyStatements(explained.database());
            hold.hold(Rooms.QUEUE, FULL);
            List<Long> all = new PolicyStatements(rooms.database())
                    .page(Rooms.QUEUE, WaitingPosition.FRONT).jobs().stream()
                            .map(WaitingJob::id)
                            .toList();
            policies.admit(Rooms.QUEUE, node, all.subList(0, FEW), HOLD);
            rooms.execute("ANALYZE rowlock.admitted_job");
            policies.admit(Rooms.QUEUE, node, all.subList(FEW, CHOSEN), HOLD);
            int before = explained.plans().size();

            int held = hold.hold(Rooms.QUEUE, CHOSEN);
            List<ClaimedJob> claimed = new ClaimReadyJobs(rooms.database())
                    .run(Rooms.QUEUE, QueueRange.ALL, CHOSEN, node, null)
                    .jobs();
            Set<Long> over = new PolicyStatements(explained.database())
                    .holdClaimed(
                            Rooms.QUEUE, claimed.stream().map(ClaimedJob::claim).toList());

            assertThat(held).isZero();
            assertThat(claimed).hasSize(CHOSEN);
            assertThat(over).isEmpty();
            List<String> plans =
                    explained.plans().subList(before, explained.plans().size());
            assertThat(plans).hasSize(2);
            // Which joins a planner chooses for statistics like these differs by version.
            assertThat(plans.get(0))
                    .containsPattern(
                            "SubPlan .*\\n.*Index (Only )?Scan using admitted_job_pkey on admitted_job a .*loops=1000\\)\\n.*Index Cond: \\(\\(queue = r.queue\\) AND \\(job_id = r.id\\)\\)");
            assertThat(plans.get(1)).doesNotContain("job_id = ANY");
        }
    }

    /** Each of them once. */
    private static void run(ExplainedDatabase explained, long node) {
        Database database = explained.database();
        new PolicyStatements(database).take(Rooms.QUEUE, node, Duration.ofSeconds(3));
        PolicyStatements policies = new PolicyStatements(database);
        policies.admit(Rooms.QUEUE, node, List.of(), HOLD);
        new PolicyStatements(database).hold(Rooms.QUEUE, 10);
        policies.figures(Rooms.QUEUE, node);
        List<Long> chosen = policies.page(Rooms.QUEUE, WaitingPosition.FRONT).jobs().stream()
                .map(WaitingJob::id)
                .limit(5)
                .toList();
        policies.admit(Rooms.QUEUE, node, chosen, HOLD);
        List<ClaimedJob> claimed = new ClaimReadyJobs(database)
                .run(Rooms.QUEUE, QueueRange.ALL, 20, node, null)
                .jobs();
        new PolicyStatements(database)
                .holdClaimed(
                        Rooms.QUEUE, claimed.stream().map(ClaimedJob::claim).toList());
        policies.takeBack(Rooms.QUEUE, Duration.ZERO, 10);
        database.alone(connection -> connection
                .createStatement()
                .executeUpdate("UPDATE rowlock.policy SET decides_until = now() - interval '1 s'"));
        new PolicyStatements(database).letGo(Rooms.QUEUE, 10, List.of());
    }
}
