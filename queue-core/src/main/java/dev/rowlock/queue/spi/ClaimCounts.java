package dev.rowlock.queue.spi;

/**
 * What the claims of one queue have brought since the node started.
 *
 * @param successful claims that brought jobs
 * @param empty claims that found none
 * @param jobs how many jobs all of them brought
 */
public record ClaimCounts(String queue, long successful, long empty, long jobs) {}
