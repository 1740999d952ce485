package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.Claimer;
import dev.rowlock.queue.internal.claim.LastClaims;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Jobs of other processes that a node claims on the connection on which it hears of them. */
@PostgresTest(freshPerTest = true, migrated = true)
class HeardJobsTest {

    public record Greet(String name) {}

    /** The fetcher claims only if it is woken. */
    private static final Duration SELDOM = Duration.ofMinutes(10);

    private final Queue<Long> started = new ConcurrentLinkedQueue<>();
    private DataSource direct;
    private Pool pool;
    private TestNode node;

    @BeforeEach
    void start(TestDatabase database) {
        direct = database.unpooled();
        pool = new Pool(database.dataSource());
        node = new TestNode(database, pool).listener(Greet.class, (context, payload) -> {
            started.add(context.id());
            return null;
        });
    }

    @AfterEach
    void close() {
        pool.exhausted = false;
        node.close();
    }

    @Test
    void heardJobsStartThoughThePoolHasNoConnectionLeft() {
        node.start();
        node.awaitHearing();

        // Not at the first attempt: after a claim that was slow, as first ones are, the next is made through the pool.
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            pool.exhausted = true;
            long id = enqueueElsewhere();
            node.others.tellOfAJob();
            boolean claimed = comes(() -> started.contains(id));
            pool.exhausted = false;
            node.awaitState(id, JobState.COMPLETED);
            return claimed;
        });
    }

    @Test
    void aStopWaitsForTheClaimOfHeardJobs() throws Exception {
        node.pollInterval(SELDOM).start();
        node.awaitHearing();

        CompletableFuture<CompletableFuture<Void>> stop = new CompletableFuture<>();
        long id = duringAClaimOfTheNotificationListener(() -> {
            stop.complete(CompletableFuture.runAsync(node::stop));
            Awaitility.await().until(() -> isIn("", LastClaims.class, "await"));
        });
        stop.get().join();

        assertThat(node.search.find(id).orElseThrow().state()) // run at the last moment, or given back
                .isEqualTo(started.contains(id) ? JobState.COMPLETED : JobState.READY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pg_cancel_backend", "pg_terminate_backend"})
    void aClaimThatFailsOrBreaksItsConnectionCostsNothing(String failure) throws Exception {
        node.pollInterval(SELDOM).start();
        node.awaitHearing();

        long id = duringAClaimOfTheNotificationListener(() -> hurtItsClaim(failure));

        node.awaitState(id, JobState.COMPLETED);
        Awaitility.await().until(() -> node.status().hears());
    }

    /** Does something while the notification listener tries to claim a job, which somebody holds up. Returns the job's id. */
    private long duringAClaimOfTheNotificationListener(Runnable action) throws SQLException {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (System.nanoTime() < end) {
            awaitStarted(enqueueElsewhere()); // a claim that is quick, unlike the first one
            try (Connection owner = direct.getConnection();
                    Statement statement = owner.createStatement()) {
                long id = enqueueElsewhere();
                owner.setAutoCommit(false);
                statement.execute("LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE");
                node.others.tellOfAJob();
                // In this order: a claim of the fetcher that waits would keep the listener from beginning one.
                boolean claims =
                        comes(() -> heldUp("pid") > 0 && isIn("rowlock-notifications", Claimer.class, "claimBy"));
                if (claims) {
                    action.run();
                }
                owner.commit();
                if (claims) {
                    return id;
                }
            }
        }
        throw new AssertionError("the notification listener claims nothing");
    }

    private void hurtItsClaim(String failure) {
        Awaitility.await().until(() -> heldUp(failure + "(pid)") > 0);
    }

    /** How many claims wait for a lock, with something done to each. */
    private int heldUp(String each) {
        return node.elsewhere.sql("""
                        SELECT count(%s) FROM pg_stat_activity
                         WHERE wait_event_type = 'Lock' AND query LIKE '%%WITH claimed%%' AND datname = current_database()
                        """.formatted(each)).query(Integer.class).single();
    }

    private void awaitStarted(long id) {
        Awaitility.await().until(() -> {
            node.others.tellOfAJob();
            return started.contains(id);
        });
    }

    /** Without telling anybody. */
    private long enqueueElsewhere() {
        return node.others.jobs(Wakeups.NONE).enqueue(new Greet("Ada"));
    }

    private static boolean comes(Callable<Boolean> condition) {
        try {
            Awaitility.await()
                    .pollInterval(Duration.ofMillis(2))
                    .atMost(Duration.ofSeconds(1))
                    .until(condition);
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    private static boolean isIn(String thread, Class<?> type, String method) {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().getName().startsWith(thread))
                .anyMatch(entry -> Stream.of(entry.getValue())
                        .anyMatch(frame -> frame.getClassName().equals(type.getName())
                                && frame.getMethodName().equals(method)));
    }

    /** Has connections to give, or none. */
    private static final class Pool extends DelegatingDataSource {

        private volatile boolean exhausted;

        Pool(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (exhausted) {
                throw new SQLTransientConnectionException("no connection left");
            }
            return super.getConnection();
        }
    }
}
