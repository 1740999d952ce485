package dev.rowlock.queue.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener that cannot do its work yet though nothing is wrong: the job runs again later and this attempt
 * does not count. Carries no stack trace.
 *
 * <p>There is no limit to snoozing, unless the retry policy has one in time: beyond {@link RetryPolicy#giveUpAfter} the job is
 * dead.
 *
 * <p>{@link SlowDownException} also slows down the other jobs of its key or queue.
 */
public class SnoozeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Due due;
    private final boolean explained;

    public SnoozeException(Duration delay) {
        this(null, Due.after(delay));
    }

    public SnoozeException(Instant until) {
        this(null, Due.at(until));
    }

    /** @param message why, for logs and observers */
    public SnoozeException(String message, Duration delay) {
        this(message, Due.after(delay));
    }

    /** @param message why, for logs and observers */
    public SnoozeException(String message, Instant until) {
        this(message, Due.at(until));
    }

    private SnoozeException(@Nullable String message, Due due) {
        super(message != null ? message : "snoozed: " + due, null, false, false);
        this.due = due;
        this.explained = message != null;
    }

    /** Why, if that was said; null otherwise. */
    public @Nullable String why() {
        return explained ? getMessage() : null;
    }

    /** When the job is to run again. */
    public Due due() {
        return due;
    }
}
