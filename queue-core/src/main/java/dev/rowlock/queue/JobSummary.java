package dev.rowlock.queue;

import dev.rowlock.queue.job.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of a list of jobs.
 *
 * @param lastError the message of the newest error; null without errors
 */
public record JobSummary(
        long id,
        JobState state,
        String queue,
        String type,
        int priority,
        int attempt,
        Instant enqueuedAt,
        @Nullable Instant dueAt,
        @Nullable Instant endedAt,
        @Nullable Integer progress,
        @Nullable String lastError) {}
