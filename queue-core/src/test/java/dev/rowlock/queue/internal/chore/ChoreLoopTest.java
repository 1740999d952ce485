package dev.rowlock.queue.internal.chore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.spi.ChoreStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ChoreLoopTest {

    private static final Duration DAY = Duration.ofDays(1);

    private ChoreLoop loop = new ChoreLoop("test-loop", List.of(), longest -> {});

    @AfterEach
    void stop() {
        loop.stop();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aChoreRunsAtOnceAndThenWhenItWants(boolean punctual) throws InterruptedException {
        AtomicReference<Duration> rest = new AtomicReference<>(Duration.ofMillis(20));
        TestChore chore = new TestChore(punctual, () -> rest.getAndSet(DAY));
        long begun = System.nanoTime();

        start(chore);
        chore.ran.acquire(2);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(20));
    }

    @Test
    void aChoreRunsAtTheEarliestTimeThatWasAskedFor() throws InterruptedException {
        TestChore asked = new TestChore(true, () -> DAY);
        TestChore other = new TestChore(true, () -> DAY);
        start(asked, other);
        asked.ran.acquire();
        other.ran.acquire();

        asked.trigger.get().within(DAY.minusMillis(1));
        asked.trigger.get().within(Duration.ofMillis(1));
        asked.trigger.get().within(DAY.minusMillis(2));

        asked.ran.acquire();
        assertThat(other.ran.availablePermits()).isZero();
    }

    @Test
    void aRequestDuringARunCausesAnotherRun() throws InterruptedException {
        Semaphore running = new Semaphore(0);
        Semaphore goOn = new Semaphore(0);
        TestChore chore = new TestChore(true, () -> {
            running.release();
            goOn.acquireUninterruptibly();
            return DAY;
        });
        start(chore);
        running.acquire();

        chore.trigger.get().now();
        goOn.release(2);

        chore.ran.acquire(2);
    }

    @Test
    void itSaysWhenEachChoreSucceededLast() throws InterruptedException {
        Semaphore goOn = new Semaphore(0);
        TestChore chore = new TestChore(true, () -> {
            goOn.acquireUninterruptibly();
            return Duration.ZERO;
        });
        start(chore);
        assertThat(loop.statuses()).containsExactly(new ChoreStatus(chore.name(), null, false, null));

        goOn.release();
        chore.ran.acquire();

        await().untilAsserted(() -> assertThat(loop.statuses())
                .singleElement()
                .satisfies(
                        status -> assertThat(status.sinceSuccess()).isBetween(Duration.ZERO, Duration.ofMinutes(1))));
    }

    @Test
    void aChoreThatFailsIsTriedAgainAndStopsNoOther() throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>(new OutOfMemoryError("as in a test"));
        TestChore failing = new TestChore(true, () -> {
            Throwable thrown = failure.getAndSet(null);
            if (thrown instanceof Error error) {
                throw error;
            }
            return DAY;
        });
        TestChore other = new TestChore(true, () -> DAY);

        start(failing, other);

        other.ran.acquire();
        failing.ran.acquire(2);
    }

    @Test
    void anInterruptThatAChoreLeavesBehindEndsNothing() throws InterruptedException {
        TestChore chore = new TestChore(true, () -> {
            Thread.currentThread().interrupt();
            return Duration.ofMillis(1);
        });

        start(chore);

        chore.ran.acquire(3);
    }

    @Test
    void aStoppedLoopRunsNothingMore() throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>();
        TestChore chore = new TestChore(true, () -> {
            thread.set(Thread.currentThread());
            return DAY;
        });
        start(chore);
        chore.ran.acquire();

        loop.stop();
        loop.awaitStop(new TimeBudget(Duration.ofSeconds(20)));
        chore.trigger.get().now();

        assertThat(thread.get().isAlive()).isFalse();
        assertThat(chore.ran.availablePermits()).isZero();
    }

    @Test
    void aChoreThatHangsIsInterruptedAtTheEnd() throws InterruptedException {
        Semaphore hanging = new Semaphore(0);
        TestChore chore = new TestChore(true, () -> {
            try {
                hanging.release();
                new Semaphore(0).acquire();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return DAY;
        });
        start(chore);
        hanging.acquire();

        loop.stop();
        loop.awaitStop(new TimeBudget(Duration.ofMillis(1)));

        chore.ran.acquire();
    }

    @Test
    void aNodeThatBeginsToHearOfChangesRunsOnlyWhatMustNotWait() throws InterruptedException {
        LinkedBlockingQueue<String> runs = new LinkedBlockingQueue<>();
        start(new Noted("gentle", false, runs), new Noted("eager", true, runs));
        assertThat(List.of(runs.take(), runs.take())).containsExactly("gentle", "eager");

        loop.connected(Duration.ZERO);
        assertThat(runs.take()).isEqualTo("eager");

        loop.changed(Duration.ZERO);
        assertThat(List.of(runs.take(), runs.take())).containsExactly("gentle is told", "eager is told");
        assertThat(List.of(runs.take(), runs.take())).containsExactlyInAnyOrder("gentle", "eager");
    }

    /** Notes its runs. */
    private record Noted(String name, boolean dueAfterConnect, LinkedBlockingQueue<String> runs) implements Chore {

        @Override
        public boolean dueAfterChange() {
            return true;
        }

        @Override
        public void changed() {
            runs.add(name + " is told");
        }

        @Override
        public Duration runOnce() {
            runs.add(name);
            return DAY;
        }
    }

    private void start(Chore... chores) {
        loop = new ChoreLoop("test-loop", List.of(chores), longest -> {});
        loop.start();
    }

    private record TestChore(boolean punctual, Supplier<Duration> work, Semaphore ran, AtomicReference<Trigger> trigger)
            implements Chore {

        TestChore(boolean punctual, Supplier<Duration> work) {
            this(punctual, work, new Semaphore(0), new AtomicReference<>());
        }

        @Override
        public void triggeredBy(Trigger by) {
            trigger.set(by);
        }

        @Override
        public String name() {
            return "test";
        }

        @Override
        public Duration runOnce() {
            try {
                return work.get();
            } finally {
                ran.release();
            }
        }
    }
}
