package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which.ALL;
import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Known;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans are made once for a connection, mostly while the rooms are empty, and kept for full ones. */
@PostgresTest(migrated = true)
@Representative
class KeyedPlansTest {

    private static final int JOBS = 8_000;
    private static final String ROOMS =
            "rowlock.ready, rowlock.waiting, rowlock.running, rowlock.dead, rowlock.rate_state";

    /** With the lines below it. */
    private static final Pattern INDEX_SCAN = Pattern.compile(
            "Index (Only )?Scan (Backward )?using .*(\\n +(Index Cond|Filter|Rows Removed|Index Searches|Heap).*)*");

    private static final Pattern REMOVED = Pattern.compile("Rows Removed by Filter: (\\d+)");

    private final TestDatabase database;
    private final Rooms rooms;

    KeyedPlansTest(TestDatabase database) {
        this.database = database;
        rooms = Rooms.emptyIn(database);
    }

    static Stream<Arguments> rulesAndKnownKeys() {
        QueueLimit of = QueueLimit.of(QUEUE);
        return Stream.of(
                        of.maxRunningPerKey(3),
                        of.maxRunningPerKey(3).burstPerKey(5),
                        of.maxRunning(10_000),
                        of.ratePerKey(Rate.perHour(10)),
                        of.inOrder(AfterFailure.HOLD),
                        of.inOrder(AfterFailure.CONTINUE),
                        of.inOrder(AfterFailure.CANCEL_REST),
                        of.inOrder(AfterFailure.HOLD).maxRunning(10_000))
                .flatMap(rule -> Stream.of(
                        Arguments.of(rule, Keys.WALK),
                        Arguments.of(
                                rule,
                                new Keys(
                                        List.of(Known.fromFront("key-0300"), Known.fromFront("key-1000")),
                                        false,
                                        0,
                                        -1,
                                        true))));
    }

    @ParameterizedTest
    @MethodSource("rulesAndKnownKeys")
    void aClaimThatWasPlannedWhileTheRoomsWereEmptyReadsFullOnesThroughTheirIndexes(QueueLimit rule, Keys known)
            throws SQLException {
        new DeclareLimits(rooms.database()).anew(List.of(rule), List.of(QUEUE));
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = changed_at - interval '1 hour'");
        rooms.execute("VACUUM ANALYZE " + ROOMS);
        long node = rooms.node();
        try (ExplainedDatabase explained =
                new ExplainedDatabase(database, new Schema("rowlock"), Plans.AUTO).withFunctions()) {
            ClaimKeyedJobs claims = new ClaimKeyedJobs(explained.database(), Duration.ZERO);
            for (int i = 0; i < 2; i++) {
                claims.run(QUEUE, Look.FIRST, known, 100, 0, ALL, node, null);
            }
            fill(node);
            int planned = explained.plans().size();

            int jobs = claims.run(QUEUE, Look.FIRST, known, 100, 0, ALL, node, null)
                    .batch()
                    .jobs()
                    .size();

            assertThat(jobs).isPositive();
            assertThat(explained.plans().stream().skip(planned))
                    .hasSizeGreaterThan(4)
                    .allSatisfy(KeyedPlansTest::assertReadsLittle);
        }
    }

    private static void assertReadsLittle(String plan) {
        assertThat(plan).doesNotContainPattern("Seq Scan on (ready|waiting|running|dead|rate_state)");
        assertThat(INDEX_SCAN.matcher(plan).results().map(MatchResult::group))
                .as("index scans in %s", plan)
                .allSatisfy(scan -> assertThat(scan).contains("Index Cond"))
                .allSatisfy(scan -> assertThat(REMOVED.matcher(scan)
                                .results()
                                .mapToLong(rows -> Long.parseLong(rows.group(1)))
                                .sum())
                        .isLessThan(JOBS / 100));
    }

    /** Two hundred keys; some have a job that was tried before, or waits to be tried again, or failed, or runs. */
    private void fill(long node) {
        String key = "'%s', 'key-' || lpad((i %% 200 * 10)::text, 4, '0'), 'send'".formatted(QUEUE);
        String of = " FROM generate_series(1, %d) AS i";
        rooms.execute(
                "INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, payload, attempt, queue, job_key, type)"
                        + " SELECT nextval('rowlock.job_id'), now(), now(), 0, '{}', (i % 1000 = 20)::int, " + key
                        + of.formatted(JOBS));
        rooms.execute(
                "INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, payload, attempt, reason, queue, job_key, type)"
                        + " SELECT nextval('rowlock.job_id'), now() + interval '1 hour', now(), 0, '{}', 1, 'retry', "
                        + key.replace("i % 200", "150 + i % 50") + of.formatted(JOBS));
        rooms.execute(
                "INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, payload, attempt, crashes, state, queue, job_key, type)"
                        + " SELECT nextval('rowlock.job_id'), now(), now(), 0, '{}', 1, 0, 'dead', "
                        + key.replace("i % 200", "150 + i % 50") + of.formatted(JOBS));
        rooms.execute(
                "INSERT INTO rowlock.running (id, ready_at, enqueued_at, claimed_at, token, node_id, attempt, crashes, rank, payload, gate, queue, job_key, type)"
                        + " SELECT nextval('rowlock.job_id'), now(), now(), now(), nextval('rowlock.claim_token'), "
                        + node
                        + ", 1, 0, 0, '{}', 'other', 'other', 'other', 'send'" + of.formatted(JOBS));
    }
}
