package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private final Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofMillis(350));

    @Test
    void waitsDoubleUpToTheLongest() {
        assertThat(backoff.next()).isBetween(Duration.ofMillis(50), Duration.ofMillis(150));
        assertThat(backoff.next()).isBetween(Duration.ofMillis(100), Duration.ofMillis(300));
        assertThat(backoff.next()).isBetween(Duration.ofMillis(175), Duration.ofMillis(525));
        assertThat(backoff.next()).isBetween(Duration.ofMillis(175), Duration.ofMillis(525));
    }

    @Test
    void waitsBeginAnewAfterASuccess() {
        backoff.next();
        backoff.next();

        backoff.reset();

        assertThat(backoff.next()).isLessThanOrEqualTo(Duration.ofMillis(150));
    }

    @Test
    void waitsThatBeginTogetherSpreadApart() {
        assertThat(Stream.generate(() -> new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1)).next())
                        .limit(100)
                        .distinct())
                .hasSizeGreaterThan(50);
    }
}
