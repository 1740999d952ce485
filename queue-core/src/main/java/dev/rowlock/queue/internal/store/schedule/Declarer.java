package dev.rowlock.queue.internal.store.schedule;

/**
 * Whose application declares a recurring job.
 *
 * @param node its node; as long as that is there, what it declares counts
 * @param process the first node of its process. It tells which process was started last: a node that lost its lease has another
 *     id, and still runs the same version of the application.
 */
public record Declarer(long node, long process) {}
