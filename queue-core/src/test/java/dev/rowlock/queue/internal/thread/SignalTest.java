package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class SignalTest {

    private static final Duration LONG = Duration.ofDays(1);

    private final Signal signal = new Signal();

    @Test
    void aSignalIsKeptUntilAThreadWaits() throws InterruptedException {
        signal.raise();

        signal.await(LONG);
    }

    @Test
    void aPlannedSignalComesInTime() throws InterruptedException {
        signal.raiseIn(Duration.ofMillis(1));

        signal.await(LONG);
    }

    @Test
    void theFirstPlanCounts() throws InterruptedException {
        signal.raiseIn(Duration.ofMillis(1));
        signal.raiseIn(LONG);

        signal.await(LONG);
    }

    @Test
    void aRaisedSignalDoesNotWaitForItsPlan() throws InterruptedException {
        signal.raiseIn(LONG);
        signal.raise();

        signal.await(LONG);
    }

    @Test
    void aPlanEndsWithTheWait() throws InterruptedException {
        signal.raiseIn(LONG);
        signal.await(Duration.ZERO);

        signal.raiseIn(Duration.ZERO); // a plan that had been kept would not let this one count

        signal.await(LONG);
    }

    @Test
    void aRaisedSignalWakesAWaitingThread() throws InterruptedException {
        Thread waiting = waiting();

        signal.raise();

        waiting.join();
        signal.raise(); // who has waited holds nothing
    }

    @Test
    void aPlannedSignalWakesAWaitingThread() throws InterruptedException {
        Thread waiting = waiting();

        signal.raiseIn(Duration.ofMillis(1));

        waiting.join();
    }

    @Test
    void aPlanForLaterWakesNoThreadNow() throws InterruptedException {
        signal.raiseIn(LONG);

        Thread waiting = waiting();

        signal.raise();
        waiting.join();
    }

    @Test
    void aWaitLastsToItsEndIfNobodyRaisesTheSignal() throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMillis(20).toNanos();

        signal.await(Duration.ofMillis(20));

        assertThat(System.nanoTime() - end).isNotNegative();
    }

    @Test
    void aPauseLastsToItsEnd() throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMillis(20).toNanos();

        Signal.pause(Duration.ofMillis(20));

        assertThat(System.nanoTime() - end).isNotNegative();
    }

    @Test
    void aJitteredTimeVariesByAFifth() {
        List<Duration> times = Stream.generate(() -> Signal.jittered(Duration.ofSeconds(10)))
                .limit(1_000)
                .toList();

        assertThat(times)
                .allSatisfy(time -> assertThat(time).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(12)))
                .anySatisfy(time -> assertThat(time).isLessThan(Duration.ofSeconds(9)))
                .anySatisfy(time -> assertThat(time).isGreaterThan(Duration.ofSeconds(11)));
    }

    /** A thread that waits by now. */
    private Thread waiting() {
        Thread waiting = new Thread(this::awaitLong);
        waiting.start();
        Awaitility.await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        return waiting;
    }

    private void awaitLong() {
        try {
            signal.await(LONG);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aThreadThatHasLeftIsCalledBackOnceByWhateverHappens() {
        AtomicInteger calls = new AtomicInteger();
        List<Runnable> happenings = List.of(signal::raise, () -> signal.raiseIn(LONG), signal::raise);

        for (Runnable happens : happenings) {
            Signal left = signal;
            left.calls(calls::incrementAndGet);
            assertThat(left.abandoned()).isTrue();
            calls.set(0);
            happens.run();
            happens.run();
            assertThat(calls).hasValue(1);
            assertThat(left.abandoned()).isFalse();
        }
    }

    @Test
    void noThreadLeavesIfSomethingHasHappenedSinceItsWait() throws InterruptedException {
        for (Runnable happens : List.<Runnable>of(signal::raise, () -> signal.raiseIn(LONG))) {
            signal.await(Duration.ZERO);
            happens.run();
            assertThat(signal.leave(() -> {})).isFalse();
            assertThat(signal.abandoned()).isFalse();
        }
        signal.await(Duration.ZERO);
        assertThat(signal.leave(() -> {})).isTrue();
    }

    @Test
    void aThreadThatCouldNotComeIsCalledAgainOnlyIfSomethingHasHappened() {
        AtomicInteger calls = new AtomicInteger();
        signal.calls(() -> signal.calls(calls::incrementAndGet)); // the first call brings nobody

        signal.callAgain();
        assertThat(calls).hasValue(0);
        signal.raise();
        signal.callAgain();

        assertThat(calls).hasValue(1);
    }

    @Test
    void aThreadThatIsCalledWaitsForThePlannedTime() throws InterruptedException {
        Duration later = Duration.ofMillis(100);
        signal.leave(() -> {});
        long begun = System.nanoTime();
        signal.raiseIn(later);
        signal.await();
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(later.toNanos());

        signal.raiseIn(LONG);
        signal.raise();
        signal.await();
    }
}
