package dev.rowlock.queue;

import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that needs somebody's decision: to redrive or to discard it.
 *
 * @param state failed or quarantined
 * @param attempt how many attempts there were
 * @param crashes how often its node died while it ran
 * @param lastError what went wrong last; null if there is no error, as with a job that only crashed
 */
public record DeadJob(
        long id,
        JobState state,
        String queue,
        String type,
        int priority,
        int attempt,
        int crashes,
        Instant enqueuedAt,
        Instant diedAt,
        @Nullable FailedAttempt lastError) {}
