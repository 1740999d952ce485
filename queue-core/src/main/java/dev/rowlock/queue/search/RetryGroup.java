package dev.rowlock.queue.search;

import java.time.Instant;
import java.util.List;

/**
 * Jobs whose last attempts failed with the same kind of error, and that are tried again.
 *
 * @param fingerprint of their last error, as that of a {@link DeadGroup}; search with {@link JobFilter#fingerprint} and the states waiting,
 *     ready and running
 * @param jobs how many of the jobs that were looked at
 * @param type of the newest job
 * @param errorType class of its last error, or a word such as {@code timeout}
 * @param message message of that error
 * @param thrownBy method that threw it; empty: there is no stack trace
 * @param firstFailedAt when the first of these jobs failed last
 * @param lastFailedAt when the last of these jobs failed last
 * @param lastDueAt when the last of these jobs is due
 * @param newestJob id of the job that was enqueued last
 * @param trend how many attempts of these jobs failed in each of the last 24 hours, the oldest hour first. A job keeps its last 20 errors, so it
 *     counts no more often than that
 */
public record RetryGroup(
        String fingerprint,
        long jobs,
        String type,
        String errorType,
        String message,
        String thrownBy,
        Instant firstFailedAt,
        Instant lastFailedAt,
        Instant lastDueAt,
        long newestJob,
        List<Long> trend) {

    public RetryGroup {
        trend = List.copyOf(trend);
    }
}
