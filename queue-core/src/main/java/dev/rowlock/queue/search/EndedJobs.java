package dev.rowlock.queue.search;

import java.time.Instant;

/**
 * How many jobs of a type ended in one step of time.
 *
 * @param from when the step begins
 */
public record EndedJobs(Instant from, String queue, String type, long completed, long cancelled) {

    /**
     * The same of a queue, whatever the types.
     *
     * @param from when the step begins
     */
    public record OfQueue(Instant from, String queue, long completed, long cancelled) {}
}
