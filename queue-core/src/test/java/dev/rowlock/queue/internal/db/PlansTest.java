package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The plans of the hot statements in full rooms, as they are really executed, whatever the statistics say. Live rooms are
 * empty one minute and full the next, so statistics are always those of another time.
 */
@PostgresTest(migrated = true)
@Representative
class PlansTest {

    private static final int FULL = 20_000;
    private static final List<String> LIVE = List.of("ready", "waiting", "running", "payload");

    private final TestDatabase test;
    private final Rooms rooms;
    private final Schema schema = new Schema("rowlock");

    PlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.in(test);
        for (String table : LIVE) {
            rooms.execute("ALTER TABLE rowlock." + table + " SET (autovacuum_enabled = off)");
        }
    }

    static Stream<Arguments> statisticsAndPlans() {
        return Stream.of(TableStatistics.values())
                .flatMap(statistics ->
                        Stream.of(Plans.CUSTOM, Plans.GENERIC).map(plans -> Arguments.of(statistics, plans)));
    }

    @ParameterizedTest
    @MethodSource("statisticsAndPlans")
    void fullRoomsAreReadThroughTheirIndexes(TableStatistics statistics, Plans plans) throws Exception {
        long node = rooms.node();
        if (rooms.count("ready") < FULL / 2) {
            rooms.fill(FULL, node);
        }
        statistics.tell(rooms, LIVE);

        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, plans)) {
            assertAll(Stream.of(HotStatement.values()).map(statement -> () -> {
                long generic = explained.genericPlans();
                statement.run(explained.database(), node, someClaims());

                statement.assertPlan(explained.lastPlan());
                // Also where the session asks for custom ones: a pinned plan is made once for a connection.
                assertThat(explained.genericPlans() > generic).isEqualTo(statement.pinned());
            }));
        }
    }

    @ParameterizedTest
    @EnumSource(names = "FRESH", mode = EnumSource.Mode.EXCLUDE)
    void pinnedPlansAreMadeForFullRoomsEvenWhileTheyAreEmpty(TableStatistics statistics) throws Exception {
        rooms.clear();
        long node = rooms.node();
        statistics.tell(rooms, LIVE);

        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.CUSTOM)) {
            assertAll(Stream.of(HotStatement.values())
                    .filter(HotStatement::pinned)
                    .map(statement -> () -> {
                        statement.run(explained.database(), node, List.of(new Claim(1, 1)));

                        statement.assertPlan(explained.lastPlan());
                    }));
        }
    }

    @ParameterizedTest
    @EnumSource(HotStatement.class)
    void aPlanFromTheTimeWhenTheRoomsWereEmptyReadsFullOnesThroughTheirIndexes(HotStatement statement)
            throws Exception {
        rooms.clear();
        rooms.execute("VACUUM ANALYZE rowlock.ready, rowlock.waiting, rowlock.running, rowlock.payload");
        long node = rooms.node();

        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.GENERIC)) {
            statement.run(explained.database(), node, List.of(new Claim(1, 1)));
            rooms.fill(2_000, node);
            statement.run(explained.database(), node, someClaims());

            statement.assertPlan(explained.lastPlan());
            assertThat(explained.genericPlans() > 1).isEqualTo(statement.pinned());
        }
    }

    @Test
    void theClaimStaysWithItsPlanWhenTheServerDecidesBetweenCustomAndGeneric() throws Exception {
        rooms.clear();
        long node = rooms.node();
        rooms.fill(2_000, node);

        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.AUTO)) {
            for (int execution = 1; execution <= 12; execution++) {
                HotStatement.CLAIM.run(explained.database(), node, List.of());

                HotStatement.CLAIM.assertPlan(explained.lastPlan());
            }
        }
    }

    @Test
    void aClaimReadsNoMoreThanItTakes() throws Exception {
        rooms.clear();
        long node = rooms.node();
        rooms.fill(2_000, node);

        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.AUTO)) {
            HotStatement.CLAIM.run(explained.database(), node, List.of());

            assertThat(explained.lastPlan())
                    .containsPattern("Index Scan using ready_in_order on ready .*actual rows=20")
                    .containsPattern("Index Cond: \\(\\(queue = .* AND \\(ROW\\(rank, ready_at, id\\) > ROW\\(")
                    .doesNotContain("Rows Removed by Filter");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aJobIsCompletedInATransactionThroughTheIndexAlsoByAPlanFromTheTimeWhenNoneRan(boolean kept) throws Exception {
        rooms.clear();
        rooms.execute("VACUUM ANALYZE rowlock.running");
        long node = rooms.node();

        try (ExplainedDatabase explained = new ExplainedDatabase(test, schema, Plans.AUTO).withFunctions()) {
            OutcomeStatements outcomes = new OutcomeStatements(explained.database(), kept);
            outcomes.finishInTransaction(new Claim(1, 1), null, kept);
            rooms.fill(2_000, node);
            int planned = explained.plans().size();

            assertThat(someClaims()).isNotEmpty().allMatch(claim -> outcomes.finishInTransaction(claim, null, kept));

            assertThat(explained.plans().stream().skip(planned))
                    .filteredOn(plan -> plan.contains(" on running"))
                    .hasSize(20)
                    .allSatisfy(plan -> assertThat(plan)
                            .contains("Index Scan using running_pkey on running")
                            .doesNotContain("Seq Scan"));
        }
    }

    private List<Claim> someClaims() {
        return rooms.sql("SELECT id, token FROM rowlock.running LIMIT 20")
                .query((row, n) -> new Claim(row.getLong(1), row.getLong(2)))
                .list();
    }
}
