/**
 * Claims jobs: when to look, where in the queue, how many at once. Knows nothing of how jobs are run: they go to a {@link
 * dev.rowlock.queue.internal.claim.QueueConsumer}.
 *
 * <p>Two parts are there for many nodes. {@link dev.rowlock.queue.internal.claim.TurnBackoff} lets few of them do the claiming:
 * 50 nodes drained 58 to 68 thousand jobs/s with it, 49 to 60 without. The table {@code reached} lets a claim begin where any
 * node's last one ended: with 50 nodes 1.5 index pages touched per job, 1.8 without.
 */
@NullMarked
package dev.rowlock.queue.internal.claim;

import org.jspecify.annotations.NullMarked;
