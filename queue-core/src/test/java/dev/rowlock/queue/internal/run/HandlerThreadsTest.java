package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.run.HandlerThreads.HandlerThread;
import dev.rowlock.queue.internal.thread.Threads;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads start with jobs and end without them. Jobs end when a test lets them. */
class HandlerThreadsTest {

    private static final int MOST = 4;
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(20);

    private final Buffer buffer = new Buffer(4, FetchSettings.DEFAULT);
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, CountDownLatch> ends = new ConcurrentHashMap<>();
    private final Set<Long> begun = ConcurrentHashMap.newKeySet();
    private final Queue<Thread> started = new ConcurrentLinkedQueue<>();
    private final ThreadFactory factory = task -> {
        Thread thread = Threads.daemon("handler").newThread(task);
        started.add(thread);
        return thread;
    };
    private HandlerThreads threads = keptFor(LONG);

    private HandlerThreads keptFor(Duration time) {
        return new HandlerThreads("mail", MOST, buffer, this::work, time);
    }

    @AfterEach
    void stop() {
        threads.stop();
        ends.values().forEach(CountDownLatch::countDown);
        Awaitility.await().until(() -> started.stream().noneMatch(Thread::isAlive));
    }

    @Test
    void noThreadStartsWithoutAJob() {
        threads.start(factory);

        threads.ensure();

        assertThat(threads.alive()).isZero();
        assertThat(started).isEmpty();
    }

    @Test
    void thereAreAsManyThreadsAsJobsThatWaitUpToTheConcurrency() {
        threads.start(factory);

        add();
        Awaitility.await().until(() -> begun.size() == 1);
        assertThat(threads.alive()).isEqualTo(1);
        for (int i = 0; i < 2 * MOST; i++) {
            add();
        }

        Awaitility.await().until(() -> begun.size() == MOST);
        assertThat(threads.alive()).isEqualTo(MOST);
        assertThat(started).hasSize(MOST);
    }

    @Test
    void jobsThatWaitedForTheStartAreRun() {
        add();

        threads.start(factory);

        Awaitility.await().until(() -> begun.size() == 1);
    }

    @Test
    void aThreadThatIsFreeTakesTheNextJob() {
        threads.start(factory);
        end(add());
        Awaitility.await().until(() -> started.peek().getState() == Thread.State.TIMED_WAITING);

        end(add());

        Awaitility.await().until(() -> begun.size() == 2);
        assertThat(started).hasSize(1);
    }

    @Test
    void idleThreadsEndAndTheLastOneEndsLater() {
        threads = keptFor(SHORT);
        threads.start(factory);
        for (int i = 0; i < MOST; i++) {
            add();
        }
        Awaitility.await().until(() -> begun.size() == MOST);

        ends.values().forEach(CountDownLatch::countDown);

        Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> threads.alive() == 1);
        Awaitility.await().until(() -> threads.alive() == 0);
        Awaitility.await().until(() -> started.stream().noneMatch(Thread::isAlive));
        assertThat(threads.broken()).isEmpty();
    }

    @Test
    void aBurstAfterAllThreadsHaveEndedRunsInParallel() {
        threads = keptFor(SHORT);
        threads.start(factory);
        end(add());
        Awaitility.await().until(() -> started.size() == 1 && threads.alive() == 0);

        for (int i = 0; i < MOST; i++) {
            add();
        }

        Awaitility.await().until(() -> begun.size() == 1 + MOST);
    }

    /** The first job ends after the second one has begun, though the only free thread may have seemed to be there for both. */
    @LongRunning
    @Test
    void noJobWaitsForAnotherWhileThereMayBeMoreThreads() {
        threads = new HandlerThreads("mail", 2, buffer, this::work, Duration.ofNanos(1));
        threads.start(factory);

        for (int i = 0; i < 3_000; i++) {
            long first = add();
            long second = add();
            Awaitility.await().pollInterval(Duration.ofNanos(100_000)).until(() -> begun.contains(second));
            end(second);
            end(first);
        }
    }

    @Test
    void aJobWaitsAndTheHealthSaysSoIfNoThreadCanBeStarted() {
        CountDownLatch memory = new CountDownLatch(1);
        threads.start(task -> new Thread(task) {
            @Override
            public synchronized void start() {
                if (memory.getCount() > 0) {
                    throw new OutOfMemoryError("unable to create native thread (for a test)");
                }
                started.add(this);
                super.start();
            }
        });

        add();
        assertThat(threads.broken()).containsExactly("rowlock-mail");
        assertThat(threads.alive()).isZero();
        assertThat(buffer.size()).isEqualTo(1);
        memory.countDown();
        threads.ensure();

        Awaitility.await().until(() -> begun.size() == 1);
        assertThat(threads.broken()).isEmpty();
    }

    @Test
    void aThreadThatIsBeingStartedAtTheStopEnds() throws Exception {
        CyclicBarrier starting = new CyclicBarrier(2);
        CountDownLatch stopping = new CountDownLatch(1);
        threads.start(task -> {
            await(starting);
            awaitUninterruptibly(stopping);
            return factory.newThread(task);
        });
        CompletableFuture<Long> adding = CompletableFuture.supplyAsync(this::add);
        await(starting);

        CompletableFuture<Void> stop = CompletableFuture.runAsync(threads::stop);
        stopping.countDown();
        stop.join();
        end(adding.join());

        Awaitility.await().until(() -> started.stream().noneMatch(Thread::isAlive));
        add();
        assertThat(started).hasSizeLessThanOrEqualTo(1);
    }

    private void work(HandlerThread thread) {
        while (!threads.stopping()) {
            try {
                Execution next = thread.take();
                if (next == null) {
                    return;
                }
                begun.add(next.job().id());
                awaitUninterruptibly(ends.get(next.job().id()));
            } catch (InterruptedException e) {
                Thread.interrupted(); // the stop
            }
        }
    }

    private long add() {
        long id = ids.incrementAndGet();
        ends.put(id, new CountDownLatch(1));
        buffer.add(TestExecution.of(id));
        threads.ensure();
        return id;
    }

    private void end(long id) {
        ends.get(id).countDown();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // The stop interrupts; the job ends when the test says so.
            }
        }
    }
}
