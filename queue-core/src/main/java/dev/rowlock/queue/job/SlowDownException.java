package dev.rowlock.queue.job;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/**
 * Thrown by a listener when another system asks it to come back later, such as by HTTP status 429 with {@code Retry-After}: the job snoozes, and nothing
 * else of its key begins before either, on whatever node, where its queue has a {@linkplain dev.rowlock.queue.gate.QueueLimit#ratePerKey rate per
 * key}; otherwise nothing of its queue, where that has a rate. Where there is no rate, only the job itself snoozes.
 *
 * <p>What runs already goes on. The wait is noted when it is thrown, whatever becomes of the job.
 */
public final class SlowDownException extends SnoozeException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /** @param retryAfter for how long nothing is to begin, 1 ms to 31 days */
    public SlowDownException(Duration retryAfter) {
        super("told to slow down for " + DurationText.of(retryAfter), requireReasonable(retryAfter));
        this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
        return retryAfter;
    }

    private static Duration requireReasonable(Duration retryAfter) {
        if (retryAfter.compareTo(Duration.ofMillis(1)) < 0 || retryAfter.compareTo(Duration.ofDays(31)) > 0) {
            throw new IllegalArgumentException(
                    "to slow down for %s is not allowed: 1 ms to 31 days".formatted(DurationText.of(retryAfter)));
        }
        return retryAfter;
    }
}
