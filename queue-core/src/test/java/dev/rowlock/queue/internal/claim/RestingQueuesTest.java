package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Which queues rest until a wake-up announces a job, and who polls them. */
@PostgresTest(migrated = true)
class RestingQueuesTest {

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
    void anIdleFetcherRestsUntilThePollFindsAnUnannouncedJob() {
        Fetcher fetcher = new Fetcher(claimer, Duration.ofSeconds(1), Duration.ofMillis(50));
        Fetchers fetchers = new Fetchers(
                List.of(fetcher), new FindReadyQueues(rooms.database()), node.view(), Duration.ofMillis(50));
        fetchers.start();
        try {
            awaitRest(fetcher); // its thread claims at the start, and each ten minutes

            rooms.ready(3);
            Awaitility.await().until(() -> rooms.count("running") == 3);
            awaitRest(fetcher);
            assertThat(fetchers.broken()).isEmpty();

            claimer.pause(true);
            rooms.ready(1);
            fetchers.wake();
            fetcher.pause(false);
            Awaitility.await().until(() -> rooms.count("running") == 4);
        } finally {
            fetchers.stop(new UnansweredClaims(), Duration.ZERO);
        }
        Awaitility.await().until(() -> !fetcher.fetching());
        fetcher.wake();
        assertThat(fetcher.fetching()).isFalse();
    }

    @Test
    void aPollThatTakesTooLongWakesTheQueuesThatRest() {
        Fetcher fetcher = new Fetcher(claimer, Duration.ofSeconds(1), Duration.ofMillis(50));
        AtomicBoolean slow = new AtomicBoolean();
        DelegatingDataSource timingOut =
                new DelegatingDataSource(rooms.database().dataSource()) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        synchronized (slow) {
                            if (slow.get()) {
                                throw new SQLException("canceling statement due to statement timeout", "57014");
                            }
                        }
                        return super.getConnection();
                    }
                };
        FindReadyQueues statement =
                new FindReadyQueues(new Database(timingOut, rooms.database().schema()));
        Fetchers fetchers = new Fetchers(List.of(fetcher), statement, node.view(), Duration.ofMillis(50));
        fetchers.start();
        try {
            awaitRest(fetcher);

            synchronized (slow) { // the first poll that fails comes after the jobs: the queue it wakes looks once
                slow.set(true);
                rooms.ready(3);
            }

            Awaitility.await().until(() -> rooms.count("running") == 3);
        } finally {
            fetchers.stop(new UnansweredClaims(), Duration.ZERO);
        }
    }

    @Test
    void aQueueWithJobsThatStayReadyIsPolledByItsOwnFetcher() {
        awaitIdle();

        node.refuse(rooms.ready());
        claimer.claim();
        claimer.claim();

        assertThat(claimer.idleFor(Duration.ZERO)).isFalse();
    }

    @Test
    void aQueueWithTypesLeftToOtherNodesIsPolledByItsOwnFetcher() {
        awaitIdle();

        claimer.leave(Set.of("greet"), false);
        assertThat(claimer.idleFor(Duration.ZERO)).isFalse();

        claimer.leave(Set.of("greet"), true);
        assertThat(claimer.idleFor(Duration.ZERO)).isTrue();
    }

    private void awaitIdle() {
        Awaitility.await().until(() -> {
            claimer.claim();
            return claimer.idleFor(Duration.ZERO);
        });
    }

    /** Wakes it until it does: a claim that was slow is no reason to. */
    private static void awaitRest(Fetcher fetcher) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            boolean rests = fetcher.resting();
            if (!rests) {
                fetcher.wake();
            }
            return rests;
        });
    }
}
