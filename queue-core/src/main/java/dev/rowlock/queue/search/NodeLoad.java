package dev.rowlock.queue.search;

import java.time.Instant;

/**
 * How many jobs of a queue a node has claimed: those that its handlers run, and those that it has claimed ahead for them.
 *
 * @param nodeId the id of the node
 * @param oldestClaim when it claimed the first of them, by the database's clock
 */
public record NodeLoad(long nodeId, String queue, long jobs, Instant oldestClaim) {}
