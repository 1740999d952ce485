package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final RandomGenerator random = new Random(7);

    @Test
    void eachWaitIsAMultipleOfTheOneBeforeUpToTheLongest() {
        RetryPolicy policy = new RetryPolicy(10, SECOND, 2, Duration.ofSeconds(10), 0);

        assertThat(IntStream.rangeClosed(1, 6).mapToObj(attempt -> policy.backoff(attempt, random)))
                .containsExactly(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(10));
    }

    @Test
    void jitterMovesAWaitBothWaysByItsShareAtMost() {
        RetryPolicy policy = new RetryPolicy(10, Duration.ofSeconds(100), 1, HOUR, 0.2);

        assertThat(IntStream.range(0, 1_000).mapToObj(i -> policy.backoff(1, random)))
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(80), Duration.ofSeconds(120)))
                .anySatisfy(wait -> assertThat(wait).isLessThan(Duration.ofSeconds(90)))
                .anySatisfy(wait -> assertThat(wait).isGreaterThan(Duration.ofSeconds(110)));
    }

    @Test
    void jitterNeverPassesTheLongestWait() {
        RetryPolicy policy = new RetryPolicy(10, HOUR, 1, HOUR, 1);

        assertThat(IntStream.range(0, 1_000).mapToObj(i -> policy.backoff(1, random)))
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ZERO, HOUR));
    }

    @Test
    void waitsStayInRangeForEveryAttemptThereCanBe() {
        RetryPolicy steep = new RetryPolicy(RetryPolicy.MAX_RETRIES, SECOND, 1e300, Due.MAX_DELAY, 0);
        RetryPolicy none = new RetryPolicy(RetryPolicy.MAX_RETRIES, Duration.ZERO, 10, HOUR, 1);

        assertThat(steep.backoff(RetryPolicy.MAX_RETRIES, random)).isEqualTo(Due.MAX_DELAY);
        assertThat(none.backoff(RetryPolicy.MAX_RETRIES, random)).isZero();
        assertThat(steep.backoff(0, random)).isEqualTo(SECOND);
    }

    @Test
    void theDefaultIsTenRetriesWithinTwentyMinutes() {
        RetryPolicy plain = new RetryPolicy(
                RetryPolicy.DEFAULT.maxRetries(),
                RetryPolicy.DEFAULT.initialInterval(),
                RetryPolicy.DEFAULT.multiplier(),
                RetryPolicy.DEFAULT.maxInterval(),
                0);

        Duration all = IntStream.rangeClosed(1, plain.maxRetries())
                .mapToObj(attempt -> plain.backoff(attempt, random))
                .reduce(Duration.ZERO, Duration::plus);

        assertThat(plain.maxRetries()).isEqualTo(10);
        assertThat(all).isBetween(Duration.ofMinutes(17), Duration.ofMinutes(18));
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        refused("max-retries -1", () -> new RetryPolicy(-1, SECOND, 2, HOUR, 0));
        refused("max-retries 10001", () -> new RetryPolicy(10_001, SECOND, 2, HOUR, 0));
        refused("initial-interval PT-1S", () -> new RetryPolicy(1, SECOND.negated(), 2, HOUR, 0));
        refused("multiplier 0.5", () -> new RetryPolicy(1, SECOND, 0.5, HOUR, 0));
        refused("multiplier NaN", () -> new RetryPolicy(1, SECOND, Double.NaN, HOUR, 0));
        refused("max-interval PT1S", () -> new RetryPolicy(1, HOUR, 2, SECOND, 0));
        refused("max-interval PT876001H", () -> new RetryPolicy(1, SECOND, 2, Due.MAX_DELAY.plusHours(1), 0));
        refused("jitter 1.1", () -> new RetryPolicy(1, SECOND, 2, HOUR, 1.1));
        refused("jitter NaN", () -> new RetryPolicy(1, SECOND, 2, HOUR, Double.NaN));
    }

    private static void refused(String words, Runnable making) {
        assertThatThrownBy(making::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
