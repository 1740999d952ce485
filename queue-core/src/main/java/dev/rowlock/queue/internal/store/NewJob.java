package dev.rowlock.queue.internal.store;

import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.UniqueKey;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job on its way into the tables.
 *
 * @param rank minus its priority
 * @param due null: runnable at once
 * @param payload JSON
 * @param headers a JSON object of strings; null for none
 * @param uniqueKey null for none: only {@link EnqueueUniqueJobs} heeds it
 */
public record NewJob(
        String queue,
        String type,
        int rank,
        @Nullable Due due,
        @Nullable Integer maxRetries,
        @Nullable Duration timeout,
        String payload,
        @Nullable String headers,
        @Nullable UniqueKey uniqueKey) {

    /** Whether the two differ in their payloads at most. */
    boolean alike(NewJob other) {
        return rank == other.rank
                && queue.equals(other.queue)
                && type.equals(other.type)
                && Objects.equals(due, other.due)
                && Objects.equals(maxRetries, other.maxRetries)
                && Objects.equals(timeout, other.timeout)
                && Objects.equals(headers, other.headers);
    }
}
