package dev.rowlock.queue.internal.store.gate;

import static dev.rowlock.queue.internal.store.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.store.OpenTransaction;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** To move what is stored into the future is to set the clock back. */
@PostgresTest(migrated = true)
class RestartSlowDownsTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Rooms rooms;
    private final HoldGate hold;
    private final RestartSlowDowns restart;

    RestartSlowDownsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        hold = new HoldGate(rooms.database());
        restart = new RestartSlowDowns(rooms.database());
    }

    @BeforeEach
    void limit() {
        new DeclareLimits(rooms.database())
                .anew(List.of(QueueLimit.of(QUEUE).ratePerKey(Rate.perSecond(100))), List.of(QUEUE));
    }

    @Test
    void aSlowDownLastsAsLongAsWasAskedForAfterTheClockWasSetBack() {
        hold.run(QUEUE, "a", HOUR);
        setBack(HOUR.multipliedBy(5));

        assertThat(restart.run()).isEqualTo(1);

        assertThat(left("a")).isBetween(3_500L, 3_600L);
        assertThat(restart.run()).as("the second time").isZero();
    }

    @Test
    void othersAreLeftAlone() {
        hold.run(QUEUE, "a", HOUR);
        setBack(Duration.ofSeconds(1)); // a correction of the clock
        rooms.execute("INSERT INTO rowlock.rate_state (queue, gate, number, next_at) VALUES ('mail', 'b', 1, 1e10)");
        hold.run(QUEUE, "c", HOUR);
        rooms.execute("UPDATE rowlock.rate_state SET held_since = NULL WHERE gate = 'c'"); // of the version before

        assertThat(restart.run()).isZero();
    }

    @Test
    void aSlowDownThatWasEndedByHandStaysSo() {
        hold.run(QUEUE, "a", HOUR);
        setBack(HOUR.multipliedBy(5));
        hold.run(QUEUE, "a", Duration.ZERO);

        assertThat(restart.run()).isZero();
    }

    @Test
    void anotherSlowDownDoesNotKeepTheOneFromBeforeTheStep() {
        hold.run(QUEUE, "a", HOUR);
        setBack(HOUR.multipliedBy(5));

        hold.run(QUEUE, "a", Duration.ofMinutes(1));

        assertThat(left("a")).isBetween(3_500L, 3_600L);
    }

    @Test
    void whatIsLeftOfALongerOneIsWhatASecondStepBeginsAnew() {
        hold.run(QUEUE, "a", HOUR.multipliedBy(3));
        setBack(HOUR.multipliedBy(-2));
        hold.run(QUEUE, "a", Duration.ofMinutes(1));
        assertThat(left("a")).isBetween(3_500L, 3_600L);
        setBack(HOUR.multipliedBy(5));

        restart.run();

        assertThat(left("a")).isBetween(3_500L, 3_600L);
    }

    @Test
    void twoNodesAtOnceRestartEachOnce() {
        for (int i = 0; i < 20; i++) {
            hold.run(QUEUE, "k" + i, HOUR);
        }
        setBack(HOUR.multipliedBy(5));

        CompletableFuture<Integer> other = CompletableFuture.supplyAsync(restart::run);
        int ours = restart.run();

        assertThat(ours + other.join()).isEqualTo(20);
    }

    /** Claims charge a rate under the lock of its gate. One that came between the lock and the row would write over the slow-down. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLockOfTheGateIsHeldUntilTheSlowDownIsWritten(boolean again) throws Exception {
        hold.run(QUEUE, "a", HOUR);
        setBack(HOUR.multipliedBy(5));
        CompletableFuture<?> writing;

        try (OpenTransaction blocking = new OpenTransaction(rooms.database())) {
            blocking.database()
                    .joined(connection ->
                            connection.createStatement().execute("LOCK TABLE rowlock.rate_state IN SHARE MODE"));
            writing = CompletableFuture.runAsync(() -> {
                if (again) {
                    restart.run();
                } else {
                    hold.run(QUEUE, "a", HOUR);
                }
            });

            await().atMost(Duration.ofSeconds(30)).until(() -> !locksOfWaiting().isEmpty());
            assertThat(locksOfWaiting()).contains("advisory");
            blocking.rollback();
        }
        writing.get(30, TimeUnit.SECONDS);
    }

    private List<String> locksOfWaiting() {
        return rooms.database().alone(connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("""
                            SELECT l.locktype FROM pg_locks l
                             WHERE l.granted AND l.pid IN (SELECT w.pid FROM pg_locks w
                                                            WHERE NOT w.granted AND w.relation = 'rowlock.rate_state'::regclass)
                            """)) {
                List<String> types = new ArrayList<>();
                while (rows.next()) {
                    types.add(rows.getString(1));
                }
                return types;
            }
        });
    }

    private void setBack(Duration by) {
        rooms.execute("UPDATE rowlock.rate_state SET held_since = held_since + %1$d, held_until = held_until + %1$d"
                .formatted(by.toSeconds()));
    }

    private long left(String key) {
        return rooms.number("""
                SELECT (held_until - extract(epoch FROM clock_timestamp()))::bigint FROM rowlock.rate_state
                 WHERE gate = '%s' ORDER BY number DESC LIMIT 1
                """.formatted(key));
    }
}
