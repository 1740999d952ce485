package dev.rowlock.queue.search;

import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of a list of jobs.
 *
 * @param title what people read, see {@code @JobType}; null: it has none
 * @param key what it is about, as limits and order count it; null: it has none
 * @param uniqueKey the unique key with which it was enqueued, whether it still holds it or not; null: none
 * @param attempt number of its last attempt, the running one included
 * @param crashes how often its node died while it ran
 * @param dueAt waiting: when it becomes runnable; ready and running: since when it is runnable
 * @param startedAt when it was claimed for its last attempt; null: it never was
 * @param endedAt when it completed, was cancelled or died
 * @param nodeId the node that runs it or ran it last; null: none, or it was given back
 * @param progress running: percent, as its handler last said
 * @param lastError what went wrong last, without its stack trace; null without errors
 * @param fingerprint dead: that of its last error
 * @param payload JSON; null unless the {@link Page} asks for payloads
 */
public record JobSummary(
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
        Instant enqueuedAt,
        @Nullable Instant dueAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Long nodeId,
        @Nullable Integer progress,
        @Nullable FailedAttempt lastError,
        @Nullable String fingerprint,
        @Nullable String payload) {

    /** For logs: no payload. */
    @Override
    public String toString() {
        return "job %d (%s) of queue '%s': %s, attempt %d".formatted(id, type, queue, state.label(), attempt);
    }
}
