package dev.rowlock.queue.search;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many attempts failed lately.
 *
 * @param queues those in which some failed, by name
 * @param minutes how many failed in each minute in which some did, in all queues together, by the instant at which it began
 * @param complete whether all jobs were looked at; false: at least as many failed
 */
public record FailedAttempts(List<QueueFailures> queues, SortedMap<Instant, Long> minutes, boolean complete) {

    public FailedAttempts {
        queues = List.copyOf(queues);
        minutes = Collections.unmodifiableSortedMap(new TreeMap<>(minutes));
    }
}
