package dev.rowlock.queue.job;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener whose job can never succeed: it moves to {@code dead} at once, with this error, whatever
 * retries it had left.
 */
public class DoNotRetryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public DoNotRetryException(String message) {
        super(message);
    }

    public DoNotRetryException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
