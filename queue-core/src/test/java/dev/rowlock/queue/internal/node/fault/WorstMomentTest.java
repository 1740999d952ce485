package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.Others;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A pool fails once at the worst moment: no job and no outcome is forgotten. */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class WorstMomentTest {

    public record Greet(String name) {}

    private static final String RECORDER = "rowlock-recorder";
    private static final String HANDLERS = "rowlock-default";

    private final TestDatabase database;
    private final AtomicInteger asked = new AtomicInteger();
    private TestNode node;
    private String thread;
    private int failing;
    private boolean eachSecondTime;
    private Throwable failure;

    WorstMomentTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void open() {
        node = new TestNode(database, new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (thread != null
                        && Thread.currentThread().getName().startsWith(thread)
                        && fails(asked.incrementAndGet())) {
                    throwFailure();
                }
                return super.getConnection();
            }
        });
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** The connection that threads of this name ask for as the one of this number. */
    private void fail(String threads, int number, Throwable with) {
        thread = threads;
        failing = number;
        failure = with;
    }

    private boolean fails(int number) {
        return eachSecondTime ? number >= failing && (number - failing) % 2 == 0 : number == failing;
    }

    private void throwFailure() throws SQLException {
        if (failure instanceof Error error) {
            throw error;
        }
        throw (SQLException) failure;
    }

    @Test
    void aRefusedOutcomeIsReportedAsLostThoughTheLookForItMeetsAnError() {
        AtomicBoolean taken = new AtomicBoolean();
        node.listener(Greet.class, (context, payload) -> {
            if (!taken.getAndSet(true)) {
                node.others.takeAway(context);
            }
            return null;
        });
        fail(RECORDER, 2, new OutOfMemoryError("for a test"));
        long lost = node.jobs.enqueue(new Greet("lost"));

        node.start();

        node.awaitEvent("lost " + lost);
        long later = node.jobs.enqueue(new Greet("later"));
        node.awaitState(later, JobState.COMPLETED);
        assertThat(node.status().unwritten()).isZero();
    }

    @Test
    void aRecorderThatMeetsErrorsTimeAndAgainEndsAtTheStop() {
        node.listener(Greet.class, (context, payload) -> {
            node.others.takeAway(context);
            return null;
        });
        fail(RECORDER, 2, new OutOfMemoryError("for a test"));
        eachSecondTime = true; // each look for what was refused, but no write
        node.jobs.enqueue(new Greet("lost"));
        node.start();
        Awaitility.await().until(() -> asked.get() > 2);

        node.stop();

        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(running -> running.getName().equals(RECORDER)));
    }

    /** The first look tells whose rows are locked after a statement gave up; the second, whether they still are. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void anOutcomeWhoseJobIsLockedIsKeptThoughTheLookForLocksFails(int look) throws SQLException {
        try (Connection business = database.unpooled().getConnection()) {
            business.setAutoCommit(false);
            node.listener(Greet.class, (context, payload) -> {
                Others.lockRunning(business, context.id());
                return null;
            });
            fail(RECORDER, look, new SQLException("the connection broke", "08006"));
            long id = node.jobs.enqueue(new Greet("locked"));

            node.start();
            Awaitility.await().until(() -> asked.get() > look);
            business.rollback();

            node.awaitState(id, JobState.COMPLETED);
            node.awaitEvent("completed " + id);
        }
    }

    @Test
    void aSuspectThatCannotBeIsolatedIsPutAside() {
        assertRunsAlthoughItsIsolationMeets(new SQLException("the connection broke", "08006"));
    }

    @Test
    void aSuspectWhoseIsolationFindsNoMemoryIsPutAside() {
        assertRunsAlthoughItsIsolationMeets(new OutOfMemoryError("for a test"));
    }

    private void assertRunsAlthoughItsIsolationMeets(Throwable trouble) {
        node.listener(Greet.class, (context, payload) -> context.attempt());
        fail(HANDLERS, 1, trouble);
        long id = node.jobs.enqueue(new Greet("suspect"));
        node.sql.sql("UPDATE rowlock.ready SET crashes = 2").update();

        node.start();

        node.awaitState(id, JobState.COMPLETED);
        node.awaitEvent("set-aside " + id);
        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("1");
        assertThat(node.search.find(id).orElseThrow().crashes()).isEqualTo(2);
    }
}
