package dev.rowlock.queue.search;

import java.time.Instant;

/**
 * How many jobs of a type ended in one step of time.
 *
 * @param from when the step begins
 */
public record EndedJobs(Instant from, String queue, String type, long completed, long cancelled) {}
