package dev.rowlock.queue.internal.store.enqueue;

import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.UniqueKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job on its way into the tables.
 *
 * @param rank minus its priority
 * @param due null: runnable at once
 * @param payload JSON
 * @param headers a JSON object of strings; null for none
 * @param key which of the queue's jobs it belongs with; null for none
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
        @Nullable String key,
        @Nullable UniqueKey uniqueKey) {

    /** A job without a key. */
    public NewJob(
            String queue,
            String type,
            int rank,
            @Nullable Due due,
            @Nullable Integer maxRetries,
            @Nullable Duration timeout,
            String payload,
            @Nullable String headers,
            @Nullable UniqueKey uniqueKey) {
        this(queue, type, rank, due, maxRetries, timeout, payload, headers, null, uniqueKey);
    }

    /** The same job with other headers and another due time. */
    public NewJob with(@Nullable String otherHeaders, @Nullable Due otherDue) {
        return new NewJob(queue, type, rank, otherDue, maxRetries, timeout, payload, otherHeaders, key, uniqueKey);
    }

    /**
     * A JSON text of more characters lies in a table of its own. Rows of up to about 2 KB are never compressed and cost
     * little to move, from 8 KB on the own table was measured to be cheaper; between the two nobody has measured.
     */
    public static final int LARGE = 4_096;

    /** Whether the payload lies in a table of its own, where it stays when the job moves. */
    public boolean large() {
        return payload.length() > LARGE;
    }

    /** What lies in the job's own row; null for a large payload. */
    @Nullable
    public String smallPayload() {
        return large() ? null : payload;
    }

    /** What lies in the table of large payloads; null for a small one. */
    @Nullable
    public String largePayload() {
        return large() ? payload : null;
    }

    /** Whether the statements for plain jobs do not do: it has a large payload, or a key. */
    public boolean special() {
        return key != null || large();
    }

    /** When to run it, if it is due at a certain time. */
    @Nullable
    Instant dueAt() {
        return due == null ? null : due.at();
    }

    /** How long to wait, if it is due after a delay. */
    @Nullable
    Duration dueAfter() {
        return due == null ? null : due.after();
    }

    /** Whether the two differ in their payloads at most. */
    boolean alike(NewJob other) {
        return rank == other.rank
                && queue.equals(other.queue)
                && type.equals(other.type)
                && Objects.equals(due, other.due)
                && Objects.equals(maxRetries, other.maxRetries)
                && Objects.equals(timeout, other.timeout)
                && Objects.equals(headers, other.headers)
                && Objects.equals(key, other.key);
    }
}
