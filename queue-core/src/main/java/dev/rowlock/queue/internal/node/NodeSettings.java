package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;

/**
 * Settings of a node.
 *
 * @param retry where a listener says nothing
 * @param maxResultBytes the largest result of a listener, as JSON in UTF-8
 * @param listens whether notifications are listened for
 */
public record NodeSettings(
        WorkerSettings worker,
        LeaseSettings lease,
        RetentionSettings retention,
        RetryPolicy retry,
        long maxResultBytes,
        boolean listens) {}
