package dev.rowlock.queue.internal.gate;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
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

@PostgresTest(migrated = true)
class HoldGateTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Rooms rooms;
    private final LimitStatements limits;

    HoldGateTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        limits = new LimitStatements(rooms.database());
    }

    @BeforeEach
    void limit() {
        new DeclareLimits(rooms.database())
                .anew(List.of(QueueLimit.of(QUEUE).ratePerKey(Rate.perSecond(100))), List.of(QUEUE));
    }

    @Test
    void aShorterSlowDownDoesNotEndALongerOne() {
        limits.slowDown(QUEUE, "a", HOUR, null);

        limits.slowDown(QUEUE, "a", Duration.ofMinutes(1), null);

        assertThat(left("a")).isBetween(3_500L, 3_600L);
    }

    @Test
    void aSlowDownIsEndedByHand() {
        limits.slowDown(QUEUE, "a", HOUR, null);

        limits.slowDown(QUEUE, "a", Duration.ZERO, null);

        assertThat(
                        rooms.truth(
                                "SELECT held_until IS NULL FROM rowlock.rate_state WHERE gate = 'a' ORDER BY number DESC LIMIT 1"))
                .isTrue();
    }

    /** Claims charge a rate under the lock of its gate. One that came between the lock and the row would write over the slow-down. */
    @Test
    void theLockOfTheGateIsHeldUntilTheSlowDownIsWritten() throws Exception {
        CompletableFuture<?> writing;

        try (OpenTransaction blocking = new OpenTransaction(rooms.database())) {
            blocking.database()
                    .joined(connection ->
                            connection.createStatement().execute("LOCK TABLE rowlock.rate_state IN SHARE MODE"));
            writing = CompletableFuture.runAsync(() -> limits.slowDown(QUEUE, "a", HOUR, null));

            await().until(() -> !locksOfWaiting().isEmpty());
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

    private long left(String key) {
        return rooms.number("""
                SELECT (held_until - extract(epoch FROM clock_timestamp()))::bigint FROM rowlock.rate_state
                 WHERE gate = '%s' ORDER BY number DESC LIMIT 1
                """.formatted(key));
    }
}
