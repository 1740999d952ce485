package dev.rowlock.queue.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that has died, as the {@code onDead} method of its listener sees it. It tells of the moment of the death: the job may have been
 * redriven or discarded since.
 *
 * @param quarantined whether it brought down too many nodes; otherwise it failed for good
 * @param attempts the number of its last attempt
 * @param diedAt by the database's clock
 * @param lastError what went wrong last, without its stack trace; null for a job that never failed
 */
public record DeadJob(
        long id,
        String type,
        String queue,
        boolean quarantined,
        int attempts,
        Instant diedAt,
        @Nullable FailedAttempt lastError) {}
