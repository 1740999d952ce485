package dev.rowlock.queue.job;

import java.time.Duration;
import java.time.Instant;

/**
 * Thrown by a listener that cannot do its work yet though nothing is wrong: the job runs again later and this attempt
 * does not count. Carries no stack trace.
 */
public final class SnoozeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Due due;

    public SnoozeException(Duration delay) {
        this(Due.after(delay));
    }

    public SnoozeException(Instant until) {
        this(Due.at(until));
    }

    private SnoozeException(Due due) {
        super("snoozed: " + due, null, false, false);
        this.due = due;
    }

    public Due due() {
        return due;
    }
}
