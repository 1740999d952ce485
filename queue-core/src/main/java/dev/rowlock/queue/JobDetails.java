package dev.rowlock.queue;

import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one job.
 *
 * @param title what people read in lists, see {@link JobType#title}; null for none
 * @param key which jobs of its queue it belongs with; null for none
 * @param uniqueKey the unique key with which it was enqueued, whether it still holds it or not; null for none
 * @param dueAt waiting: when it becomes runnable; ready and running: since when it was runnable
 * @param claimedAt when it was claimed for the last attempt
 * @param deadline running, with a timeout: when its handler is interrupted at the latest
 * @param endedAt when it completed, was cancelled or died
 * @param waitReason waiting: why
 * @param progress percent, as its handler last said
 * @param payload JSON
 * @param errors what went wrong so far, oldest first
 * @param result what its listener returned, as JSON
 */
public record JobDetails(
        long id,
        JobState state,
        String queue,
        String type,
        @Nullable String title,
        @Nullable String key,
        @Nullable String uniqueKey,
        int priority,
        int attempt,
        int crashes,
        @Nullable Integer maxRetries,
        @Nullable Duration timeout,
        Instant enqueuedAt,
        @Nullable Instant dueAt,
        @Nullable Instant claimedAt,
        @Nullable Instant deadline,
        @Nullable Instant endedAt,
        @Nullable Long nodeId,
        @Nullable WaitReason waitReason,
        @Nullable Integer progress,
        @Nullable String progressNote,
        boolean cancelRequested,
        String payload,
        Map<String, String> headers,
        List<FailedAttempt> errors,
        @Nullable String result) {

    /** For logs: neither payload, headers nor result. */
    @Override
    public String toString() {
        return "job %d (%s) of queue '%s': %s, attempt %d".formatted(id, type, queue, state.label(), attempt);
    }
}
