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
    }

    @Test
    void theNextStatementMustWait() {
        Duration apart = Duration.ofMillis(50);
        MinimumInterval pace = new MinimumInterval(apart);
        long begun = System.nanoTime();
        pace.begun();

        int waits = 0;
        while (System.nanoTime() - begun < apart.toNanos()) {
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
