package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims by the notification listener's thread, on its own connection. */
@PostgresTest(migrated = true)
class ClaimAtOnceTest {

    private ClaimingNode node;
    private Rooms rooms;
    private Claimer claimer;

    @BeforeEach
    void prepare(TestDatabase database) {
        node = new ClaimingNode(database);
        rooms = node.rooms();
        claimer = node.claimer();
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void thePoolIsUsedForAWhileAfterAClaimOnTheListeningConnectionHasFailed(TestDatabase database) throws SQLException {
        Fetcher fetcher = new Fetcher(claimer, Duration.ofSeconds(1), Fetcher.KEPT);
        AtomicInteger uses = new AtomicInteger();
        try (Connection own = database.unpooled().getConnection()) {
            awaitClaimAtOnce(own);
            Connection broken = broken(uses);
            Awaitility.await().until(() -> {
                fetcher.jobsHeard(0, 1, 0, broken);
                claimer.claim(); // after a slow claim, this one lets the next be on the listening connection
                return uses.get() > 0;
            });

            awaitClaimAtOnce(own);
            uses.set(0);
            Awaitility.await().during(Duration.ofMillis(200)).until(() -> {
                fetcher.jobsHeard(0, 1, 0, broken);
                return uses.get() == 0;
            });
        }
    }

    @Test
    void theNotificationListenerDoesNotMakeTheClaimAfterASlowOne(TestDatabase database) throws SQLException {
        try (Connection own = database.unpooled().getConnection()) {
            awaitClaimAtOnce(own);

            slowClaim();
            rooms.ready(1);
            assertThat(claimer.claimAtOnce(own)).isFalse();
            assertThat(rooms.count("running")).isZero();

            awaitClaimAtOnce(own);
            assertThat(rooms.count("running")).isEqualTo(1);
        }
    }

    @Test
    void theNotificationListenerClaimsWithoutRefusedJobs(TestDatabase database) throws SQLException {
        node.refuse(rooms.ready());
        assertThat(claimer.claim()).isPositive();
        try (Connection own = database.unpooled().getConnection()) {
            rooms.ready(1);
            awaitClaimAtOnce(own);
        }

        assertThat(rooms.count("running")).isEqualTo(1);
    }

    /** Not at the first attempt: any claim may be slow, and the one after it is refused. */
    private void awaitClaimAtOnce(Connection own) {
        Awaitility.await().until(() -> {
            boolean claimed = claimer.claimAtOnce(own);
            if (!claimed) {
                claimer.claim();
            }
            return claimed;
        });
    }

    /** Its statement waits until it has taken longer than a moment. */
    private void slowClaim() throws SQLException {
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            other.database()
                    .alone(connection ->
                            connection.createStatement().execute("LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE"));
            CompletableFuture<Duration> claim = CompletableFuture.supplyAsync(claimer::claim);
            Awaitility.await().until(() -> rooms.truth("""
                    SELECT EXISTS (SELECT FROM pg_stat_activity
                                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                                      AND clock_timestamp() - query_start > interval '50 ms')
                    """));
            other.rollback();
            claim.join();
        }
    }

    private static Connection broken(AtomicInteger uses) {
        return (Connection) Proxy.newProxyInstance(
                ClaimAtOnceTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    uses.incrementAndGet();
                    throw new SQLException("the connection broke", "08006");
                });
    }
}
