package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.spi.RetentionSettings;
import java.time.Duration;

/**
 * What the janitor must know.
 *
 * @param retry for overdue jobs, whose listener's own policy only their node knows
 * @param pollInterval how often the dispatcher looks while jobs come
 */
public record JanitorSettings(
        LeaseSettings lease, RetentionSettings retention, RetryPolicy retry, Duration pollInterval) {}
