package dev.rowlock.queue.job;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a job runs again after a failed attempt, and when it is given up. Immutable: start from {@link #exponential}, {@link #fixed},
 * {@link #intervals} or {@link #never}, and add what differs. A method with an argument returns a changed copy, the one of
 * the same name without an argument says what is set.
 *
 * <pre>{@code
 * RetryPolicy.exponential(Duration.ofSeconds(1), 2, Duration.ofHours(3)) // 1 s, 2 s, 4 s … 3 h
 *         .giveUpAfter(Duration.ofDays(2))
 *         .on(QuotaExceeded.class, RetryPolicy.fixed(Duration.ofHours(1)))
 *         .giveUpOn(AccountClosed.class)
 * }</pre>
 *
 * <p>Whatever the policy, {@link RetryLaterException} names its own time, and {@link DoNotRetryException} is final.
 */
public final class RetryPolicy implements RetryStrategy {

    /** More retries than this are a slip: the attempt counter must not overflow. */
    public static final int MAX_RETRIES = 10_000;

    /** How often a job is tried again where a policy says neither how often nor for how long. */
    public static final int DEFAULT_RETRIES = 25;

    /** The longest list of intervals. */
    public static final int MAX_INTERVALS = 50;

    private static final double DEFAULT_JITTER = 0.2;

    /**
     * 25 retries: after 1 s, 2 s, 4 s … 2.3 h, then each 3 h. That makes 37 hours and a half, and no less than 30 with the
     * jitter of a fifth: an outage of a day kills no job.
     */
    public static final RetryPolicy DEFAULT = exponential(Duration.ofSeconds(1), 2, Duration.ofHours(3));

    private static final RetryStrategy GIVE_UP = failure -> Optional.empty();

    private final Values values;

    /** Waits are the intervals, then the last one times the multiplier, times the multiplier … */
    private record Values(
            List<Duration> intervals,
            double multiplier,
            Duration maxInterval,
            double jitter,
            @Nullable Integer maxRetries,
            @Nullable Duration giveUpAfter,
            List<Rule> rules) {}

    private record Rule(Class<? extends Throwable> exception, RetryStrategy strategy) {}

    private RetryPolicy(Values values) {
        this.values = values;
    }

    /**
     * The first wait, then each time this many times the one before, up to the longest; each moved at random by up to a fifth
     * ({@link #jitter(double)}), so that jobs whose attempts failed together do not come back together.
     */
    public static RetryPolicy exponential(Duration first, double multiplier, Duration longest) {
        notNegative("initial-interval", first);
        if (!(multiplier >= 1)) {
            throw new IllegalArgumentException("multiplier %s must be at least 1".formatted(multiplier));
        }
        if (longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("max-interval %s must be at least initial-interval %s"
                    .formatted(DurationText.of(longest), DurationText.of(first)));
        }
        notTooLong("max-interval", longest);
        return new RetryPolicy(new Values(List.of(first), multiplier, longest, DEFAULT_JITTER, null, null, List.of()));
    }

    /** The same wait before each retry, without jitter. */
    public static RetryPolicy fixed(Duration interval) {
        notNegative("interval", interval);
        notTooLong("interval", interval);
        return new RetryPolicy(new Values(List.of(interval), 1, Due.MAX_DELAY, 0, null, null, List.of()));
    }

    /**
     * These waits one after the other, without jitter, and no further retry. With more {@link #maxRetries(int)} than
     * intervals, or with {@link #giveUpAfter(Duration)}, the last one is repeated.
     */
    public static RetryPolicy intervals(Duration... intervals) {
        return intervals(Arrays.asList(intervals));
    }

    /** As {@link #intervals(Duration...)}. */
    public static RetryPolicy intervals(List<Duration> intervals) {
        if (intervals.isEmpty() || intervals.size() > MAX_INTERVALS) {
            throw new IllegalArgumentException(
                    "%d intervals are not allowed: give 1 to %d".formatted(intervals.size(), MAX_INTERVALS));
        }
        intervals.forEach(interval -> {
            notNegative("interval", interval);
            notTooLong("interval", interval);
        });
        return new RetryPolicy(new Values(List.copyOf(intervals), 1, Due.MAX_DELAY, 0, null, null, List.of()));
    }

    /** The first failure is final. */
    public static RetryPolicy never() {
        return DEFAULT.maxRetries(0);
    }

    /** Attempts after the first; 0 to {@value #MAX_RETRIES}. */
    public RetryPolicy maxRetries(int retries) {
        return new RetryPolicy(new Values(
                values.intervals,
                values.multiplier,
                values.maxInterval,
                values.jitter,
                validRetries(retries),
                values.giveUpAfter,
                values.rules));
    }

    /**
     * The job is given up where its next attempt would begin later than this after it was enqueued, by the database's
     * clock; at least 1 ms. Unless {@link #maxRetries(int)} is set as well, only the time counts. Snoozing ends then, too. A delay is
     * part of the time; a job that is redriven when it is over gets one attempt.
     */
    public RetryPolicy giveUpAfter(Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException(
                    "give-up-after %s must be at least 1 ms".formatted(DurationText.of(time)));
        }
        notTooLong("give-up-after", time);
        return new RetryPolicy(new Values(
                values.intervals,
                values.multiplier,
                values.maxInterval,
                values.jitter,
                values.maxRetries,
                time,
                values.rules));
    }

    /** No wait is longer than this, whatever its jitter; at least as long as the longest interval. */
    public RetryPolicy maxInterval(Duration longest) {
        notTooLong("max-interval", longest);
        values.intervals.forEach(interval -> {
            if (longest.compareTo(interval) < 0) {
                throw new IllegalArgumentException("max-interval %s must be at least the interval %s"
                        .formatted(DurationText.of(longest), DurationText.of(interval)));
            }
        });
        return new RetryPolicy(new Values(
                values.intervals,
                values.multiplier,
                longest,
                values.jitter,
                values.maxRetries,
                values.giveUpAfter,
                values.rules));
    }

    /** Each wait is moved at random by up to this share of itself, 0 to 1, but not beyond the longest. */
    public RetryPolicy jitter(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("jitter %s must lie between 0 and 1".formatted(share));
        }
        return new RetryPolicy(new Values(
                values.intervals,
                values.multiplier,
                values.maxInterval,
                share,
                values.maxRetries,
                values.giveUpAfter,
                values.rules));
    }

    /**
     * Another strategy for failures with this exception, subclasses included, also where it is the cause of what was thrown, however deep.
     * Of several that match, the first that was added decides, as with {@code catch}. Attempts are counted together, whatever they failed with.
     */
    public RetryPolicy on(Class<? extends Throwable> exception, RetryStrategy strategy) {
        List<Rule> rules = new ArrayList<>(values.rules);
        rules.add(new Rule(exception, strategy));
        return new RetryPolicy(new Values(
                values.intervals,
                values.multiplier,
                values.maxInterval,
                values.jitter,
                values.maxRetries,
                values.giveUpAfter,
                List.copyOf(rules)));
    }

    /** Failures with this exception, subclasses included, are final, also where it is the cause of what was thrown, however deep. */
    public RetryPolicy giveUpOn(Class<? extends Throwable> exception) {
        return on(exception, GIVE_UP);
    }

    /** How often at most: what was set, otherwise as often as the intervals, or the time, allow. */
    public int maxRetries() {
        if (values.maxRetries != null) {
            return values.maxRetries;
        }
        if (values.giveUpAfter != null) {
            return MAX_RETRIES;
        }
        return values.intervals.size() > 1 ? values.intervals.size() : DEFAULT_RETRIES;
    }

    /** When the job is given up by time; null for never. */
    public @Nullable Duration giveUpAfter() {
        return values.giveUpAfter;
    }

    public double jitter() {
        return values.jitter;
    }

    /** The wait before the first retry, without jitter. */
    public Duration initialInterval() {
        return values.intervals.get(0);
    }

    public double multiplier() {
        return values.multiplier;
    }

    /** The longest wait that waits grow to. */
    public Duration maxInterval() {
        return values.maxInterval;
    }

    /** Whether some exceptions have strategies of their own, which are code and cannot be stored. */
    public boolean hasRules() {
        return !values.rules.isEmpty();
    }

    @Override
    public Optional<Due> next(Failure failure) {
        for (Rule rule : values.rules) {
            if (failure.causedBy(rule.exception)) {
                return rule.strategy.next(failure);
            }
        }
        Integer own = failure.job().maxRetries();
        if (failure.attempt() > (own != null ? own : maxRetries())) {
            return Optional.empty();
        }
        Due due = Due.after(backoff(failure.attempt(), ThreadLocalRandom.current()));
        return inTime(failure, due) ? Optional.of(due) : Optional.empty();
    }

    /** Whether an attempt that is due then begins before the job is to be given up. */
    public boolean inTime(Failure failure, Due due) {
        if (values.giveUpAfter == null) {
            return true;
        }
        Instant at = due.at();
        Duration after = due.after() != null
                ? failure.age().plus(due.after())
                : Duration.between(failure.job().enqueuedAt(), at != null ? at : Instant.MAX);
        return after.compareTo(values.giveUpAfter) <= 0;
    }

    /** Without its rules for exceptions, which may be what cannot be asked. */
    @Override
    public RetryPolicy fallback() {
        return new RetryPolicy(new Values(
                values.intervals,
                values.multiplier,
                values.maxInterval,
                values.jitter,
                values.maxRetries,
                values.giveUpAfter,
                List.of()));
    }

    /** How long a job waits after its attempt number {@code attempt} (1 for the first) has failed, without jitter. */
    public Duration backoff(int attempt) {
        int past = Math.max(0, attempt - values.intervals.size());
        Duration interval = values.intervals.get(Math.max(0, attempt - 1 - past));
        if (past == 0 || values.multiplier == 1) {
            return interval;
        }
        double grown = interval.toMillis() * Math.pow(values.multiplier, past);
        return Duration.ofMillis(Math.round(Math.min(grown, values.maxInterval.toMillis())));
    }

    /** The same with jitter. */
    public Duration backoff(int attempt, RandomGenerator random) {
        Duration plain = backoff(attempt);
        if (values.jitter == 0) {
            return plain;
        }
        double shifted = plain.toMillis() * (1 + values.jitter * (2 * random.nextDouble() - 1));
        return Duration.ofMillis(Math.round(Math.min(shifted, values.maxInterval.toMillis())));
    }

    /** The waits of the first attempts without jitter, until they stay the same, but no more than this many. */
    public List<Duration> backoffs(int most) {
        List<Duration> waits = new ArrayList<>();
        for (int attempt = 1; attempt <= most; attempt++) {
            Duration next = backoff(attempt);
            boolean constant = attempt > values.intervals.size() && next.equals(waits.get(waits.size() - 1));
            if (constant) {
                break;
            }
            waits.add(next);
        }
        return List.copyOf(waits);
    }

    /** Returns the number, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static int validRetries(int maxRetries) {
        if (maxRetries < 0 || maxRetries > MAX_RETRIES) {
            throw new IllegalArgumentException(
                    "max-retries %d must lie between 0 and %d".formatted(maxRetries, MAX_RETRIES));
        }
        return maxRetries;
    }

    private static void notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException("%s %s must not be negative".formatted(name, DurationText.of(value)));
        }
    }

    private static void notTooLong(String name, Duration value) {
        if (value.compareTo(Due.MAX_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "%s %s must be at most %s".formatted(name, DurationText.of(value), DurationText.of(Due.MAX_DELAY)));
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RetryPolicy policy && values.equals(policy.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return "RetryPolicy" + values.toString().substring("Values".length());
    }
}
