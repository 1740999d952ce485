package dev.rowlock.queue.search;

import java.time.Instant;
import java.util.List;

/**
 * Jobs whose last attempts failed with the same kind of error, and that are tried again.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface RetryGroup {

    /** Of their last error, as that of a {@link DeadGroup}; search with {@link JobFilter#fingerprint} and the states waiting, ready and running. */
    String fingerprint();

    /** How many of the jobs that were looked at. */
    long jobs();

    /** Of the newest job. */
    String type();

    /** Class of its last error, or a word such as {@code timeout}. */
    String errorType();

    /** Message of that error. */
    String message();

    /** Method that threw it; empty: there is no stack trace. */
    String thrownBy();

    /** When the first of these jobs failed last. */
    Instant firstFailedAt();

    /** When the last of these jobs failed last. */
    Instant lastFailedAt();

    /** When the last of these jobs is due. */
    Instant lastDueAt();

    /** Id of the job that was enqueued last. */
    long newestJob();

    /**
     * How many attempts of these jobs failed in each of the last 24 hours, the oldest hour first. A job keeps its last 20 errors, so it counts no
     * more often than that.
     */
    List<Long> trend();
}
