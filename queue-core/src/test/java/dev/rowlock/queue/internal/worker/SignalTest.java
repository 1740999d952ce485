package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class SignalTest {

    private static final Duration LONG = Duration.ofDays(1);

    private final Signal signal = new Signal();

    @Test
    void isKeptUntilSomebodyWaits() throws InterruptedException {
        signal.raise();

        signal.await(LONG);
    }

    @Test
    void comesWhenItWasPlanned() throws InterruptedException {
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
    void doesNotWaitForItsPlanIfItIsRaised() throws InterruptedException {
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
    void aRestartTakesBackWhatWasPlanned() throws InterruptedException {
        signal.raiseIn(LONG);
        signal.restart(LONG);

        signal.raiseIn(Duration.ZERO);

        signal.await(LONG);
    }

    @Test
    void whoWaitsMayBeToldToWaitLess() throws InterruptedException {
        Thread waiting = new Thread(this::awaitLong);
        waiting.start();

        while (waiting.isAlive()) {
            signal.restart(Duration.ofMillis(1)); // for nothing, as long as it does not wait yet
            waiting.join(1);
        }
    }

    private void awaitLong() {
        try {
            signal.await(LONG);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
