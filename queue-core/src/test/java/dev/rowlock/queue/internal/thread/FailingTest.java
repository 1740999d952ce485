package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FailingTest {

    private final AtomicLong clock = new AtomicLong(-Duration.ofSeconds(5).toNanos());
    private final Failing failing = new Failing(clock::get);

    @Test
    void whatFailsForMoreThanHalfAMinuteLasts() {
        failing.failed();
        after(Duration.ofSeconds(30));
        failing.failed();
        assertThat(failing.lasting()).isFalse();

        after(Duration.ofMillis(1));
        failing.failed();

        assertThat(failing.lasting()).isTrue();
    }

    @Test
    void aSingleFailureDoesNotLastHoweverLongTheNextTryTakes() {
        failing.failed();
        after(Duration.ofHours(1));

        assertThat(failing.now()).isTrue();
        assertThat(failing.lasting()).isFalse();
    }

    @Test
    void aSuccessEndsIt() {
        failing.failed();
        after(Duration.ofMinutes(1));
        failing.failed();

        failing.worked();
        assertThat(failing.lasting()).isFalse();

        failing.failed();
        assertThat(failing.lasting()).isFalse();
    }

    @Test
    void itIsToldAtOnceAndThenEachHour() {
        assertThat(failing.failed()).isTrue();
        assertThat(failing.failed()).isFalse();
        after(Duration.ofHours(1));
        assertThat(failing.failed()).isTrue();
        after(Duration.ofMinutes(59));
        assertThat(failing.failed()).isFalse();
        after(Duration.ofMinutes(1));
        assertThat(failing.failed()).isTrue();

        failing.worked();

        assertThat(failing.failed()).isTrue();
    }

    private void after(Duration time) {
        clock.addAndGet(time.toNanos());
    }
}
