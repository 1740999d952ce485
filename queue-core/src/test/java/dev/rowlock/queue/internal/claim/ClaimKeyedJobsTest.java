package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Representative
class ClaimKeyedJobsTest extends KeyedQueue {

    ClaimKeyedJobsTest(TestDatabase database) {
        super(database);
    }

    @Test
    void keysTakeTurns() {
        rooms.large(jobs("large", 50));
        rooms.large(jobs("small", 2));

        assertThat(keys(run(10))).containsExactly("large", "large", "large", "large", "large", "small", "small");
    }

    @Test
    void aKeyGetsAsManyTimesMoreAsItsWeightSays() {
        rooms.execute(
                "INSERT INTO rowlock.key_weight (queue, job_key, weight) VALUES ('mail', 'b', 3), ('other', 'a', 9)");
        rooms.large(Stream.of(jobs("a", 50), jobs("b", 50), jobs("c", 50))
                .flatMap(List::stream)
                .toList());

        assertThat(keys(run(10))).containsExactly("a", "a", "b", "b", "b", "b", "b", "b", "c", "c");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void overManySmallClaimsWeightsCountToo(int limit) {
        rooms.execute(
                "INSERT INTO rowlock.key_weight (queue, job_key, weight) VALUES ('mail', 'k07', 4), ('mail', 'k12', 2)");
        IntStream.range(0, 20).forEach(key -> rooms.large(jobs("k%02d".formatted(key), 50)));

        List<String> got = new ArrayList<>();
        Look turn = Look.FIRST;
        while (got.size() < 24) {
            KeyedBatch batch = run(turn, Math.min(limit, 24 - got.size()));
            got.addAll(keys(batch));
            turn = next(batch);
        }

        assertThat(got).hasSize(24);
        assertThat(new HashSet<>(got)).hasSize(20);
        assertThat(got).filteredOn("k07"::equals).hasSize(4);
        assertThat(got).filteredOn("k12"::equals).hasSize(2);
    }

    @Test
    void aGiantHoldsUpNobody() {
        rooms.large(jobs("giant", 5_000));
        IntStream.range(0, 100).forEach(key -> rooms.large(jobs("small%02d".formatted(key), 10)));

        assertThat(new HashSet<>(keys(run(500)))).hasSize(101);
        KeyedBatch next = run(new Look("giant", 0, true), 50);
        assertThat(new HashSet<>(keys(next))).hasSize(50).doesNotContain("giant");
    }

    @Test
    void aTurnThatBorrowsBringsAsManyAsTheBurstAllows() {
        limit(null, 2);
        rooms.execute("UPDATE rowlock.queue_limit SET burst_per_key = 4");
        rooms.large(jobs("a", 9));

        KeyedBatch own = run(9);
        assertThat(keys(own)).hasSize(2);
        assertThat(own.lends()).isTrue();
        assertThat(keys(run(9))).isEmpty();
        assertThat(keys(run(Look.FIRST.borrowing(), 9))).hasSize(2);
        assertThat(keys(run(Look.FIRST.borrowing(), 9))).isEmpty();
    }

    /** As after a node of the version before has raised the limit. */
    @Test
    void aBurstThatIsLessThanTheLimitSaysNothing() {
        limit(null, 2);
        rooms.execute("UPDATE rowlock.queue_limit SET burst_per_key = 1");
        rooms.large(jobs("a", 9));

        assertThat(run(1).lends()).isFalse();
        assertThat(keys(run(Look.FIRST.borrowing(), 9))).hasSize(1);
    }

    /** Whoever finds nothing then does not know that nobody else wants the places. */
    @Test
    void aQueueThatIsFullLendsNothing() {
        limit(3, 1);
        rooms.execute("UPDATE rowlock.queue_limit SET burst_per_key = 3");
        rooms.large(Stream.of(jobs("a", 5), jobs("b", 5)).flatMap(List::stream).toList());
        assertThat(keys(run(2))).hasSize(2);

        assertThat(run(1).lends()).isTrue();
        assertThat(keys(run(Look.FIRST.borrowing(), 1))).hasSize(1);
        assertThat(run(1).lends()).isFalse();
    }

    @Test
    void aKeyThatIsFullHoldsUpNobodyElse() {
        limit(null, 1);
        rooms.large(Stream.of(jobs("a", 5), jobs("b", 5), jobs("c", 5))
                .flatMap(List::stream)
                .toList());

        assertThat(keys(run(10))).containsExactly("a", "b", "c");
        assertThat(keys(run(10))).isEmpty();
        assertThat(run(10).lends()).isFalse();
    }

    @Test
    void aQueuesLimitCountsJobsWithAndWithoutKeys() {
        limit(3, null);
        rooms.large(jobs("a", 2));
        rooms.ready(5);

        assertThat(Stream.concat(keys(run(10)).stream(), keys(run(10)).stream()))
                .hasSize(3);
        assertThat(keys(run(10))).isEmpty();
        assertThat(new ClaimReadyJobs(rooms.database())
                        .run(QUEUE, QueueRange.ALL, 10, node, null)
                        .jobs())
                .isEmpty();
    }

    @Test
    void aPlainClaimLeavesJobsWithKeys() {
        rooms.large(jobs("a", 2));

        assertThat(new ClaimReadyJobs(rooms.database())
                        .run(QUEUE, QueueRange.ALL, 10, node, null)
                        .jobs())
                .isEmpty();
    }

    @Test
    void aClaimLocksAPartOfTheKeysThatTheServerHasRoomFor() {
        long locks = rooms.number("SELECT current_setting('max_locks_per_transaction')::int"
                + " * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)");

        int most = (int) Math.max(20, Math.min(1_000, locks / 16));

        run(1);

        assertThat(claim.keys(Look.FIRST, 10_000)).isEqualTo(most);
        assertThat(claim.keys(Look.FIRST, 1)).isEqualTo(20);
        assertThat(claim.keys(Look.FIRST.widely(true), 1)).isEqualTo(most);
    }

    @Test
    void keysThatAreFullAreLeftBehindInOneWalk() {
        limit(null, 1);
        rooms.large(IntStream.range(0, 150)
                .mapToObj(i -> job("a%03d".formatted(i), 0))
                .toList());
        assertThat(keys(run(150))).hasSize(150);
        rooms.large(IntStream.range(0, 150)
                .mapToObj(i -> job("a%03d".formatted(i), 0))
                .toList());
        rooms.large(jobs("b", 3));

        Look turn = Look.FIRST;
        List<String> got = List.of();
        for (int i = 0; i < 20 && got.isEmpty(); i++) {
            KeyedBatch batch = run(turn, 5);
            got = keys(batch);
            turn = next(batch);
        }

        assertThat(got).containsExactly("b");
    }

    @Test
    void jobsOfTypesThatAreLeftToOthersStayReady() {
        limit(5, 2);
        rooms.large(jobs("a", 2));
        rooms.ready(2);

        assertThat(keys(claim.run(QUEUE, Look.FIRST, 10, 0, new Which(List.of("send"), List.of(), null), node, null)))
                .isEmpty();
    }

    @Test
    void aNodeThatWasDeclaredDeadClaimsNothing() {
        rooms.large(jobs("a", 2));
        rooms.execute("DELETE FROM rowlock.node");

        assertThat(keys(run(10))).isEmpty();
    }

    @Test
    void fewerClaimsOfABacklogThanOfSingleJobsAreMadeAtATime() throws SQLException {
        rooms.large(jobs("a", 1));
        limit(null, 1);
        rooms.execute("UPDATE rowlock.queue_limit SET changed_at = now() - interval '1 h'"); // nobody counts once more
        Look unfinished = new Look("b", 2, true).ofBacklog(true);

        try (OpenTransaction first = claiming();
                OpenTransaction second = claiming()) {
            KeyedBatch refused = run(unfinished, 10);
            assertThat(refused.stop()).isEqualTo(Stop.OUT_OF_TURN);
            assertThat(refused.keys()).isFalse();
            assertThat(refused.next()).isEqualTo(new Look("b", 2, true));
            assertThat(run(10).stop()).isEqualTo(Stop.NONE);
        }

        assertThat(run(unfinished, 10).stop()).isEqualTo(Stop.NONE);
    }

    /** It would count what ran when it began, not when it had its locks. */
    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void aTransactionThatSeesOneSnapshotClaimsNothing(String isolation) throws SQLException {
        try (Connection connection = database.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET TRANSACTION ISOLATION LEVEL " + isolation);

            assertThatThrownBy(() -> statement.execute("SELECT * FROM rowlock.claim_keyed_v1("
                            + String.join(", ", Collections.nCopies(25, "NULL")) + ")"))
                    .hasMessageContaining("read committed");
        }
    }

    /** A parameter of which the driver does not know the type costs another one, and a tenth of the server's time for a small claim. */
    @Test
    void aClaimTakesOneRoundTrip() {
        run(1); // the connection has been asked what it must be asked once

        assertThat(roundTrips(() -> run(1))).isOne();
    }

    /** As the driver logs them, of this thread. */
    private static int roundTrips(Runnable call) {
        Thread caller = Thread.currentThread();
        AtomicInteger syncs = new AtomicInteger();
        Handler counts = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                if (Thread.currentThread() == caller && logged.getMessage().contains("FE=> Sync")) {
                    syncs.incrementAndGet();
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger driver = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
        Level level = driver.getLevel();
        driver.addHandler(counts);
        driver.setLevel(Level.FINEST);
        try {
            call.run();
        } finally {
            driver.setLevel(level);
            driver.removeHandler(counts);
        }
        return syncs.get();
    }

    private OpenTransaction claiming() throws SQLException {
        OpenTransaction transaction = new OpenTransaction(rooms.database());
        new ClaimKeyedJobs(transaction.database(), Duration.ZERO).run(QUEUE, Look.FIRST, 1, 0, Which.ALL, node, null);
        return transaction;
    }

    private void limit(Integer running, Integer perKey) {
        rooms.sql("INSERT INTO rowlock.queue_limit (queue, max_running, max_running_per_key) VALUES (?, ?, ?)")
                .params(QUEUE, running, perKey)
                .update();
    }
}
