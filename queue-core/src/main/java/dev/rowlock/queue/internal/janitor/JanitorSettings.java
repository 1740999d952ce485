package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.LeaseSettings;
import java.time.Duration;

/**
 * Settings of the janitor.
 *
 * @param retry for overdue jobs whose node has not said how their listeners retry
 * @param pollInterval how often the dispatcher looks while jobs come
 */
public record JanitorSettings(LeaseSettings lease, RetryPolicy retry, Duration pollInterval) {}
