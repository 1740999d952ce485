package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs with keys and jobs without share the threads of a queue, with real jobs. */
@PostgresTest(freshPerTest = true, migrated = true)
class HalfOfTheThreadsTest {

    private static final String QUEUE = "shared";
    private static final int THREADS = 4;
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final QueueLimit NO_LIMIT = QueueLimit.of(QUEUE);

    record Work(long millis) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final TestDatabase database;
    private final Threads plain = new Threads();
    private final Threads keyed = new Threads();
    private final CountDownLatch over = new CountDownLatch(1); // what begins now ends at once, and does not count
    private volatile long from = Long.MAX_VALUE; // what jobs hold of the threads counts from now on

    /** What the jobs of one kind hold. */
    private static final class Threads {

        private final AtomicInteger running = new AtomicInteger();
        private final LongAdder begun = new LongAdder();
        private final LongAdder nanos = new LongAdder();
    }

    HalfOfTheThreadsTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        over.countDown();
        rowlocks.close();
    }

    private void work(Work work, JobContext job) throws InterruptedException {
        Threads mine = job.key().isPresent() ? keyed : plain;
        long begun = System.nanoTime();
        mine.begun.increment();
        mine.running.incrementAndGet();
        boolean last = over.await(work.millis(), TimeUnit.MILLISECONDS);
        mine.running.decrementAndGet();
        if (!last) {
            mine.nanos.add(Math.max(0, System.nanoTime() - Math.max(from, begun)));
        }
    }

    private Rowlock node(QueueLimit limit) {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .limit(limit)
                .listener(Work.class, o -> o.queue(QUEUE).concurrency(THREADS), this::work));
    }

    private static void enqueue(Rowlock rowlock, boolean keys, long millis, int jobs) {
        rowlock.jobs()
                .enqueueAll(
                        IntStream.range(0, jobs).mapToObj(i -> new JobRequest(new Work(millis), options(keys, i))),
                        id -> {});
    }

    private static JobOptions options(boolean keys, int i) {
        JobOptions queue = JobOptions.NONE.queue(QUEUE);
        return keys ? queue.key("key-" + i % 50) : queue;
    }

    static Stream<Arguments> backlogs() {
        return Stream.of(
                Arguments.of(5, 50, 1, NO_LIMIT, false),
                Arguments.of(50, 5, 1, NO_LIMIT, true),
                Arguments.of(5, 50, 1, NO_LIMIT.maxRunningPerKey(2), true));
    }

    static Stream<Arguments> moreBacklogs() {
        return Stream.of(
                Arguments.of(5, 5, 1, NO_LIMIT, true),
                Arguments.of(5, 300, 1, NO_LIMIT, true),
                Arguments.of(20, 20, 3, NO_LIMIT, false),
                Arguments.of(50, 5, 1, NO_LIMIT.maxRunning(2), true));
    }

    @LongRunning
    @ParameterizedTest(name = "{0} ms without a key, {1} ms with one, {2} nodes, {3}, without a key first: {4}")
    @MethodSource("moreBacklogs")
    void bothKindsHoldHalfOfTheThreadsWhateverTheirBacklogs(
            long plainMillis, long keyedMillis, int nodes, QueueLimit limit, boolean plainFirst) {
        bothKindsHoldHalfOfTheThreadsWhileBothHaveABacklog(plainMillis, keyedMillis, nodes, limit, plainFirst);
    }

    @ParameterizedTest(name = "{0} ms without a key, {1} ms with one, {2} nodes, {3}, without a key first: {4}")
    @MethodSource("backlogs")
    void bothKindsHoldHalfOfTheThreadsWhileBothHaveABacklog(
            long plainMillis, long keyedMillis, int nodes, QueueLimit limit, boolean plainFirst) {
        Rowlock first = node(limit);
        IntStream.range(1, nodes).forEach(i -> node(limit).start());
        enqueue(first, !plainFirst, plainFirst ? plainMillis : keyedMillis, 4_000);
        first.start();
        Threads early = plainFirst ? plain : keyed;
        await().atMost(LONG).until(() -> early.running.get() > 0);
        enqueue(first, plainFirst, plainFirst ? keyedMillis : plainMillis, 4_000);
        from = System.nanoTime();

        await().atMost(LONG)
                .until(() -> plain.nanos.sum() + keyed.nanos.sum()
                        >= nodes * Duration.ofSeconds(4).toNanos());
        over.countDown();

        double part = (double) keyed.nanos.sum() / (plain.nanos.sum() + keyed.nanos.sum());
        assertThat(part).isBetween(0.3, 0.7);
    }

    /** Threads are free all the time: what both want is to begin. */
    @Test
    void asManyJobsOfBothKindsBeginWhereTheRateOfTheQueueHoldsThemUp() {
        Rowlock rowlock = node(NO_LIMIT.rate(Rate.perSecond(50).burst(1)));
        enqueue(rowlock, false, 40, 200);
        enqueue(rowlock, true, 1, 200);
        from = System.nanoTime();

        rowlock.start();

        await().atMost(LONG).until(() -> plain.begun.sum() + keyed.begun.sum() >= 60);
        over.countDown();
        assertThat(keyed.begun.sum()).isBetween(20L, 40L);
    }

    @Test
    void aKindWithoutABacklogLeavesItsThreadsToTheOther() {
        Rowlock rowlock = node(NO_LIMIT);
        rowlock.start();

        enqueue(rowlock, false, LONG.toMillis(), 1);
        enqueue(rowlock, true, LONG.toMillis(), THREADS);

        await().until(() -> plain.running.get() == 1 && keyed.running.get() == THREADS - 1);
    }

    @Test
    void jobsWithoutKeysHaveTheThreadsThatAFewWithKeysLeave() {
        Rowlock rowlock = node(NO_LIMIT);
        rowlock.start();

        enqueue(rowlock, true, LONG.toMillis(), 1);
        enqueue(rowlock, false, LONG.toMillis(), THREADS);

        await().until(() -> keyed.running.get() == 1 && plain.running.get() == THREADS - 1);
    }
}
