package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MinimumIntervalTest {

    @Test
    void theFirstStatementAfterARestMayBeginAtOnce() {
        MinimumInterval pace = new MinimumInterval(Duration.ofDays(1));

        pace.await();

        assertThat(pace.allows()).isTrue();
    }

    @Test
    void theNextStatementMustWait() {
        MinimumInterval pace = new MinimumInterval(Duration.ofDays(1));

        pace.begun();

        assertThat(pace.allows()).isFalse();
    }

    @Test
    void waitingForTheNextStatementIsNotABusyLoop() {
        MinimumInterval pace = new MinimumInterval(Duration.ofMillis(50));
        pace.begun();

        int waits = 0;
        while (!pace.allows()) {
            pace.await();
            waits++;
        }

        assertThat(waits).as("one, and what the machine wakes for nothing").isBetween(1, 5);
    }

    @Test
    void anInterruptEndsTheWaitAndStays() {
        MinimumInterval pace = new MinimumInterval(Duration.ofDays(1));
        pace.begun();
        Thread.currentThread().interrupt();

        pace.await();

        assertThat(Thread.interrupted()).isTrue();
    }
}
