package dev.rowlock.queue.search;

import java.util.List;

/**
 * How many attempts failed lately.
 *
 * @param queues those in which some failed, by name
 * @param complete whether all jobs were looked at; false: at least as many failed
 */
public record FailedAttempts(List<QueueFailures> queues, boolean complete) {

    public FailedAttempts {
        queues = List.copyOf(queues);
    }
}
