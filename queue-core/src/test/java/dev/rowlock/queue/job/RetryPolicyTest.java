package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.claim.ClaimedRow;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private static final Instant ENQUEUED = Instant.parse("2030-01-01T00:00:00Z");
    private static final Exception BROKEN = new IllegalStateException("broken");

    private final RandomGenerator random = new Random(7);

    @Test
    void eachWaitIsAMultipleOfTheOneBeforeUpToTheLongest() {
        RetryPolicy policy =
                RetryPolicy.exponential(SECOND, 2, Duration.ofSeconds(10)).jitter(0);

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
    void intervalsFollowEachOtherAndTheLastIsRepeated() {
        RetryPolicy policy = RetryPolicy.intervals(SECOND, SECOND, HOUR);

        assertThat(policy.maxRetries()).isEqualTo(3);
        assertThat(IntStream.rangeClosed(1, 5).mapToObj(policy::backoff))
                .containsExactly(SECOND, SECOND, HOUR, HOUR, HOUR);
        assertThat(policy.maxRetries(9).maxRetries()).isEqualTo(9);
        assertThat(policy.giveUpAfter(HOUR).maxRetries()).isEqualTo(RetryPolicy.MAX_RETRIES);
    }

    @Test
    void aFixedWaitIsTheSameEachTime() {
        RetryPolicy policy = RetryPolicy.fixed(HOUR);

        assertThat(IntStream.rangeClosed(1, 5).mapToObj(attempt -> policy.backoff(attempt, random)))
                .containsOnly(HOUR);
        assertThat(policy.maxRetries()).isEqualTo(RetryPolicy.DEFAULT_RETRIES);
    }

    @Test
    void jitterMovesAWaitBothWaysByItsShareAtMost() {
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(100)).jitter(0.2);

        assertThat(IntStream.range(0, 1_000).mapToObj(i -> policy.backoff(1, random)))
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(80), Duration.ofSeconds(120)))
                .anySatisfy(wait -> assertThat(wait).isLessThan(Duration.ofSeconds(90)))
                .anySatisfy(wait -> assertThat(wait).isGreaterThan(Duration.ofSeconds(110)));
    }

    @Test
    void jitterNeverPassesTheLongestWait() {
        RetryPolicy policy = RetryPolicy.exponential(HOUR, 1, HOUR).jitter(1);

        assertThat(IntStream.range(0, 1_000).mapToObj(i -> policy.backoff(1, random)))
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ZERO, HOUR));
    }

    @Test
    void waitsStayInRangeForEveryAttemptThereCanBe() {
        RetryPolicy steep =
                RetryPolicy.exponential(SECOND, 1e300, Due.MAX_DELAY).jitter(0);
        RetryPolicy none = RetryPolicy.exponential(Duration.ZERO, 10, HOUR).jitter(1);

        assertThat(steep.backoff(RetryPolicy.MAX_RETRIES, random)).isEqualTo(Due.MAX_DELAY);
        assertThat(none.backoff(RetryPolicy.MAX_RETRIES, random)).isZero();
        assertThat(steep.backoff(0, random)).isEqualTo(SECOND);
    }

    @Test
    void theDefaultSurvivesAnOutageOfADayWhateverTheJitter() {
        RetryPolicy policy = RetryPolicy.DEFAULT;

        Duration all = IntStream.rangeClosed(1, policy.maxRetries())
                .mapToObj(policy::backoff)
                .reduce(Duration.ZERO, Duration::plus);
        Duration shortest = Duration.ofMillis((long) (all.toMillis() * (1 - policy.jitter())));

        assertThat(policy.maxRetries()).isEqualTo(25);
        assertThat(all).isBetween(Duration.ofMinutes(37 * 60 + 30), Duration.ofMinutes(37 * 60 + 40));
        assertThat(shortest).isGreaterThan(Duration.ofHours(30));
    }

    // What comes next

    @Test
    void aJobIsGivenUpAfterItsRetries() {
        RetryPolicy policy = RetryPolicy.fixed(SECOND).maxRetries(2);

        assertThat(policy.next(failure(2, HOUR, BROKEN))).contains(Due.after(SECOND));
        assertThat(policy.next(failure(3, HOUR, BROKEN))).isEmpty();
        assertThat(RetryPolicy.never().next(failure(1, HOUR, BROKEN))).isEmpty();
    }

    @Test
    void aJobIsGivenUpWhereItsNextAttemptWouldComeTooLate() {
        RetryPolicy policy = RetryPolicy.fixed(SECOND).giveUpAfter(HOUR);

        assertThat(policy.next(failure(5_000, HOUR.minus(SECOND), BROKEN))).contains(Due.after(SECOND));
        assertThat(policy.next(failure(1, HOUR.minus(SECOND).plusMillis(1), BROKEN)))
                .isEmpty();
        assertThat(policy.inTime(failure(1, SECOND, BROKEN), Due.at(ENQUEUED.plus(HOUR))))
                .isTrue();
        assertThat(policy.inTime(
                        failure(1, SECOND, BROKEN), Due.at(ENQUEUED.plus(HOUR).plusMillis(1))))
                .isFalse();
        assertThat(policy.maxRetries(1).next(failure(2, SECOND, BROKEN))).isEmpty();
    }

    @Test
    void theFirstRuleThatMatchesAnExceptionDecides() {
        RetryPolicy policy = RetryPolicy.fixed(SECOND)
                .giveUpOn(FileNotFoundException.class)
                .on(IOException.class, RetryPolicy.fixed(HOUR))
                .on(Exception.class, failure -> Optional.of(Due.after(Duration.ofDays(failure.attempt()))));

        assertThat(policy.next(failure(1, SECOND, new FileNotFoundException()))).isEmpty();
        assertThat(policy.next(failure(1, SECOND, new IOException()))).contains(Due.after(HOUR));
        assertThat(policy.next(failure(3, SECOND, BROKEN))).contains(Due.after(Duration.ofDays(3)));
        assertThat(policy.next(failure(1, SECOND, new Error()))).contains(Due.after(SECOND));
        assertThat(policy.next(failure(1, SECOND, new CompletionException(new IOException()))))
                .contains(Due.after(HOUR));
    }

    @Test
    void aRuleLooksThroughCausesHoweverDeep() {
        RetryPolicy policy = RetryPolicy.fixed(SECOND)
                .giveUpOn(FileNotFoundException.class)
                .on(IllegalStateException.class, RetryPolicy.fixed(HOUR));
        Exception deep = new IllegalStateException(new RuntimeException(new FileNotFoundException()));
        Exception circle = new RuntimeException("a");
        circle.initCause(new RuntimeException("b", circle));

        assertThat(policy.next(failure(1, SECOND, deep))).isEmpty();
        assertThat(policy.next(failure(1, SECOND, new RuntimeException(BROKEN))))
                .contains(Due.after(HOUR));
        assertThat(policy.next(failure(1, SECOND, circle))).contains(Due.after(SECOND));
        assertThat(policy.next(failure(1, SECOND, new Mute()))).contains(Due.after(SECOND));
    }

    private static final class Mute extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            throw new UnsupportedOperationException("on purpose");
        }
    }

    @Test
    void anExceptionThatARuleGivesUpOnIsFinalWhateverTheJobsOwnRetriesAre() {
        RetryPolicy policy = RetryPolicy.DEFAULT.giveUpOn(IOException.class);

        assertThat(policy.next(new Failure(job(1, 5), SECOND, new IOException())))
                .isEmpty();
    }

    @Test
    void valuesOutOfRangeAreRefusedByName() {
        refused("max-retries -1", () -> RetryPolicy.DEFAULT.maxRetries(-1));
        refused("max-retries 10001", () -> RetryPolicy.DEFAULT.maxRetries(10_001));
        refused("initial-interval -1s", () -> RetryPolicy.exponential(SECOND.negated(), 2, HOUR));
        refused("multiplier 0.5", () -> RetryPolicy.exponential(SECOND, 0.5, HOUR));
        refused("multiplier NaN", () -> RetryPolicy.exponential(SECOND, Double.NaN, HOUR));
        refused("max-interval 1s", () -> RetryPolicy.exponential(HOUR, 2, SECOND));
        refused("max-interval 36500d1h", () -> RetryPolicy.exponential(SECOND, 2, Due.MAX_DELAY.plusHours(1)));
        refused("jitter 1.1", () -> RetryPolicy.DEFAULT.jitter(1.1));
        refused("jitter NaN", () -> RetryPolicy.DEFAULT.jitter(Double.NaN));
        refused("interval -1s", () -> RetryPolicy.fixed(SECOND.negated()));
        refused("interval 36500d1h", () -> RetryPolicy.intervals(SECOND, Due.MAX_DELAY.plusHours(1)));
        refused("0 intervals", () -> RetryPolicy.intervals());
        refused("51 intervals", () -> RetryPolicy.intervals(Collections.nCopies(51, SECOND)));
        refused("give-up-after 0s", () -> RetryPolicy.DEFAULT.giveUpAfter(Duration.ZERO));
        refused("give-up-after 1us", () -> RetryPolicy.DEFAULT.giveUpAfter(Duration.ofNanos(1_000)));
        refused("max-interval 1s", () -> RetryPolicy.intervals(SECOND, HOUR).maxInterval(SECOND));
    }

    private static Failure failure(int attempt, Duration age, Throwable thrown) {
        return new Failure(job(attempt, null), age, thrown);
    }

    private static ClaimedJob job(int attempt, @Nullable Integer maxRetries) {
        return new ClaimedRow(
                new Claim(1, 1),
                "test",
                "Test",
                attempt,
                0,
                Duration.ZERO,
                Duration.ZERO,
                ENQUEUED,
                "{}",
                null,
                maxRetries,
                null,
                null,
                null,
                false);
    }

    private static void refused(String words, Runnable making) {
        assertThatThrownBy(making::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
