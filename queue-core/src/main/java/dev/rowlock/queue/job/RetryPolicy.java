package dev.rowlock.queue.job;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How often a failed job is tried again, and how long it waits before: exponential backoff with jitter.
 *
 * @param maxRetries attempts after the first; 0 means that the first failure is final
 * @param initialInterval the wait before the first retry
 * @param multiplier each further wait is this many times the one before; at least 1
 * @param maxInterval the longest wait
 * @param jitter each wait is moved at random by up to this share of itself, 0 to 1, so that jobs that failed together
 *     do not come back together
 */
public record RetryPolicy(
        int maxRetries, Duration initialInterval, double multiplier, Duration maxInterval, double jitter) {

    /** Ten retries: after 1 s, 2 s, 4 s … about 17 minutes in all. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(10, Duration.ofSeconds(1), 2.0, Duration.ofHours(1), 0.2);

    /** More retries than this are a slip: the attempt counter must not overflow. */
    public static final int MAX_RETRIES = 10_000;

    public RetryPolicy {
        maxRetries = validRetries(maxRetries);
        if (initialInterval.isNegative()) {
            throw new IllegalArgumentException("initial-interval %s must not be negative".formatted(initialInterval));
        }
        if (!(multiplier >= 1)) {
            throw new IllegalArgumentException("multiplier %s must be at least 1".formatted(multiplier));
        }
        if (maxInterval.compareTo(initialInterval) < 0) {
            throw new IllegalArgumentException(
                    "max-interval %s must be at least initial-interval %s".formatted(maxInterval, initialInterval));
        }
        if (maxInterval.compareTo(Due.MAX_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "max-interval %s must be at most %s".formatted(maxInterval, Due.MAX_DELAY));
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("jitter %s must lie between 0 and 1".formatted(jitter));
        }
    }

    /** Returns the number, or throws an {@link IllegalArgumentException} that says what is allowed. */
    public static int validRetries(int maxRetries) {
        if (maxRetries < 0 || maxRetries > MAX_RETRIES) {
            throw new IllegalArgumentException(
                    "max-retries %d must lie between 0 and %d".formatted(maxRetries, MAX_RETRIES));
        }
        return maxRetries;
    }

    public RetryPolicy withMaxRetries(int retries) {
        return new RetryPolicy(retries, initialInterval, multiplier, maxInterval, jitter);
    }

    /**
     * How long a job waits after its attempt number {@code attempt} (1 for the first) has failed.
     */
    public Duration backoff(int attempt, RandomGenerator random) {
        double plain = Math.min(
                initialInterval.toMillis() * Math.pow(multiplier, Math.max(0, attempt - 1)), maxInterval.toMillis());
        double shifted = plain * (1 + jitter * (2 * random.nextDouble() - 1));
        return Duration.ofMillis(Math.round(Math.min(shifted, maxInterval.toMillis())));
    }
}
