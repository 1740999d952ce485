package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.Fetchers.LastClaims;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of other processes of which a node hears. */
@PostgresTest(freshPerTest = true, migrated = true)
class HeardJobsTest {

    public record Greet(String name) {}

    /** The fetcher claims only if it is woken. */
    private static final Duration SELDOM = Duration.ofMinutes(10);

    private final Queue<Long> started = new ConcurrentLinkedQueue<>();
    private DataSource direct;
    private TestNode node;

    @BeforeEach
    void start(TestDatabase database) {
        direct = database.unpooled();
        node = new TestNode(database).listener(Greet.class, (context, payload) -> {
            started.add(context.id());
            return null;
        });
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aStopWaitsForTheClaimOfHeardJobs() throws Exception {
        node.pollInterval(SELDOM).start();
        node.awaitHearing();

        CompletableFuture<CompletableFuture<Void>> stop = new CompletableFuture<>();
        long id = duringAClaim(() -> {
            stop.complete(CompletableFuture.runAsync(node::stop));
            Awaitility.await().until(() -> isIn(LastClaims.class, "await"));
        });
        stop.get().join();

        assertThat(node.search.find(id).orElseThrow().state()) // run at the last moment, or given back
                .isEqualTo(started.contains(id) ? JobState.COMPLETED : JobState.READY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pg_cancel_backend", "pg_terminate_backend"})
    void aClaimThatFailsOrBreaksItsConnectionCostsNothing(String failure) throws Exception {
        node.start();
        node.awaitHearing();

        long id = duringAClaim(() -> hurtItsClaim(failure));

        node.awaitState(id, JobState.COMPLETED);
        Awaitility.await().until(() -> node.status().hears());
    }

    /** Does something while the node tries to claim a job of which it has heard, which somebody holds up. Returns the job's id. */
    private long duringAClaim(Runnable action) throws SQLException {
        awaitStarted(enqueueElsewhere());
        try (Connection owner = direct.getConnection();
                Statement statement = owner.createStatement()) {
            long id = enqueueElsewhere();
            owner.setAutoCommit(false);
            statement.execute("LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE");
            node.others.tellOfAJob();
            Awaitility.await().until(() -> heldUp("pid") > 0);
            action.run();
            owner.commit();
            return id;
        }
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

    private static boolean isIn(Class<?> type, String method) {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getClassName().equals(type.getName())
                        && frame.getMethodName().equals(method));
    }
}
