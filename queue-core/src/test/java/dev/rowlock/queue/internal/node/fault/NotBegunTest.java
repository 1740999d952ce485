package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.ChunkInterceptor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Jobs whose handlers could not begin: without a connection, neither their payload was read nor their transaction begun. */
@PostgresTest(migrated = true)
class NotBegunTest {

    record Note(String text) {}

    private static final Note LARGE = new Note(Rooms.letters(200_000));

    private ScarcePool pool;
    private TestNode node;

    @BeforeEach
    void prepare(TestDatabase database) {
        Rooms.emptyIn(database);
        pool = new ScarcePool(database.dataSource());
        node = new TestNode(database, pool);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void aLargePayloadThatCannotBeReadForAMomentCostsNoAttempt() {
        node.listener(Note.class, (context, payload) -> context.attempt());
        pool.refusals.set(1);
        node.start();

        long id = node.jobs.enqueue(LARGE, o -> o.maxRetries(0));

        node.awaitState(id, JobState.COMPLETED);
        assertThat(pool.refusals).hasValue(0);
        assertThat(attempts(id)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTransactionThatCannotBeginCostsNoAttemptWhateverInterceptorsMakeOfIt(boolean swallows) {
        AtomicInteger runs = new AtomicInteger();
        node.interceptor((job, next) -> {
            try {
                return next.proceed();
            } catch (Exception e) {
                if (swallows) {
                    return "reported";
                }
                throw new IllegalStateException("with the tenant's name", e);
            }
        });
        node.listener(Note.class, (context, payload) -> runs.incrementAndGet(), TestNode::transactional);
        pool.refusals.set(1);
        node.start();

        long id = node.jobs.enqueue(new Note("short"), o -> o.maxRetries(0));

        node.awaitState(id, JobState.COMPLETED);
        assertThat(runs).hasValue(1);
        assertThat(attempts(id)).isEqualTo(1);
    }

    /** Swallows what was thrown, or wraps it. */
    private record MakingSomethingOfIt(boolean swallows) implements JobInterceptor, ChunkInterceptor {

        @Override
        public @Nullable Object intercept(JobContext job, Invocation next) throws Exception {
            return next.proceed();
        }

        @Override
        public @Nullable Object intercept(List<JobContext> jobs, Invocation next) {
            try {
                return next.proceed();
            } catch (Exception e) {
                if (swallows) {
                    return "reported";
                }
                throw new IllegalStateException("with the tenant's name", e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theTransactionOfAChunkThatCannotBeginCostsNoAttemptWhateverInterceptorsMakeOfIt(boolean swallows) {
        Queue<Integer> calls = new ConcurrentLinkedQueue<>();
        node.interceptor(new MakingSomethingOfIt(swallows));
        node.chunkListener(
                Note.class,
                jobs -> {
                    calls.add(jobs.size());
                    return ChunkResult.ALL_COMPLETED;
                },
                listener -> listener.batch(3).linger(Duration.ofSeconds(10)).transactional(true));
        pool.refusals.set(1);
        long[] ids = node.jobs.enqueueAll(
                List.of(new Note("a"), new Note("b"), new Note("c")), JobOptions.NONE.maxRetries(0));

        node.start();

        node.awaitCount("done", 3);
        assertThat(calls).containsExactly(3);
        assertThat(LongStream.of(ids)).allSatisfy(id -> assertThat(attempts(id)).isEqualTo(1));
    }

    @Test
    void aTransactionThatCannotBeginForAMomentCostsNoAttempt() {
        node.listener(Note.class, (context, payload) -> null, TestNode::transactional);
        pool.refusals.set(2);
        node.start();

        long id = node.jobs.enqueue(new Note("small"), o -> o.maxRetries(0));

        node.awaitState(id, JobState.COMPLETED);
        assertThat(pool.refusals).hasValue(0);
        assertThat(attempts(id)).isEqualTo(1);
    }

    @Test
    void aJobThatRepeatedlyCannotBeginWaitsLongerAndLonger() {
        node.listener(Note.class, (context, payload) -> null, TestNode::transactional);
        pool.refusals.set(Integer.MAX_VALUE);
        node.start();

        long id = node.jobs.enqueue(new Note("small"));
        Awaitility.await()
                .until(() -> node.sql
                        .sql(
                                "SELECT EXISTS (SELECT FROM rowlock.waiting WHERE due_at - now() > interval '1.5 s' AND reason = 'not-started')")
                        .query(Boolean.class)
                        .single());

        pool.refusals.set(0);
        node.awaitState(id, JobState.COMPLETED);
        assertThat(attempts(id)).isEqualTo(1);
    }

    @Test
    void aTimeoutDoesNotCountWhileThePayloadIsRead() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        node.listener(Note.class, (context, payload) -> runs.incrementAndGet());
        node.start();
        pool.holdUp = new CountDownLatch(1);

        long id = node.jobs.enqueue(LARGE, o -> o.maxRetries(0).timeout(Duration.ofMillis(50)));

        Awaitility.await().until(() -> pool.heldUp.getCount() == 0);
        assertThat(pool.interrupted.await(300, TimeUnit.MILLISECONDS))
                .as("interrupted at its timeout")
                .isFalse();
        pool.holdUp.countDown();
        node.awaitState(id, JobState.COMPLETED);
        assertThat(runs).hasValue(1);
        assertThat(attempts(id)).isEqualTo(1);
    }

    @Test
    void aJobThatIsCancelledWhileItsPayloadIsReadDoesNotBegin() {
        AtomicInteger runs = new AtomicInteger();
        pool.ignoresInterrupts = true;
        node.listener(Note.class, (context, payload) -> runs.incrementAndGet());
        node.start();
        pool.holdUp = new CountDownLatch(1);
        long id = node.jobs.enqueue(LARGE);
        Awaitility.await().until(() -> pool.heldUp.getCount() == 0);

        node.admin.cancel(id);
        Awaitility.await().until(() -> pool.interrupted.getCount() == 0);
        pool.holdUp.countDown();

        node.awaitState(id, JobState.CANCELLED);
        assertThat(runs).hasValue(0);
    }

    @Test
    void aPayloadThatIsGoneFailsItsJob() {
        node.listener(Note.class, (context, payload) -> null);
        long id = node.jobs.enqueue(LARGE, o -> o.maxRetries(0));
        node.sql.sql("DELETE FROM rowlock.payload").update();

        node.start();

        node.awaitState(id, JobState.DEAD);
    }

    private int attempts(long id) {
        return node.sql
                .sql("SELECT attempt FROM rowlock.job WHERE id = ?")
                .param(id)
                .query(Integer.class)
                .single();
    }

    /** Has no connections for handlers' threads for a while. */
    private static final class ScarcePool extends DelegatingDataSource {

        private final AtomicInteger refusals = new AtomicInteger();
        private final CountDownLatch heldUp = new CountDownLatch(1);
        private final CountDownLatch interrupted = new CountDownLatch(1);
        private volatile boolean ignoresInterrupts;
        private volatile CountDownLatch holdUp = new CountDownLatch(0);

        ScarcePool(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (Thread.currentThread().getName().startsWith("rowlock-default")) {
                if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    throw new SQLTransientConnectionException("no connection within the pool's time");
                }
                awaitConnection();
            }
            return super.getConnection();
        }

        private void awaitConnection() throws SQLException {
            try {
                if (holdUp.getCount() > 0) {
                    heldUp.countDown();
                }
                holdUp.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
                if (ignoresInterrupts) {
                    awaitConnection();
                    return;
                }
                throw new SQLTransientConnectionException("interrupted while waiting for a connection", e);
            }
        }
    }
}
