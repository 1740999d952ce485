package dev.rowlock.queue.search;

/**
 * Attempts of a queue that failed.
 *
 * @param attempts how many failed, of all jobs that were looked at
 */
public record QueueFailures(String queue, long attempts) {}
