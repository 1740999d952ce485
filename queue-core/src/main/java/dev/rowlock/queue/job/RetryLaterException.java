package dev.rowlock.queue.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener that failed and knows when trying again makes sense, such as after a {@code Retry-After}
 * header. Counts as a failed attempt: the job is dead once its retries are used up, or its time is.
 */
public class RetryLaterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Due due;

    public RetryLaterException(String message, Duration delay) {
        this(message, delay, null);
    }

    public RetryLaterException(String message, Instant at) {
        this(message, at, null);
    }

    public RetryLaterException(String message, Duration delay, @Nullable Throwable cause) {
        super(message, cause);
        this.due = Due.after(delay);
    }

    public RetryLaterException(String message, Instant at, @Nullable Throwable cause) {
        super(message, cause);
        this.due = Due.at(at);
    }

    /** When the job is to run again. */
    public final Due due() {
        return due;
    }
}
