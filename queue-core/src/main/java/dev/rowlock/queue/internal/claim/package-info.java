/**
 * Claims jobs: when to look, where in the queue, how many at once. Knows nothing of how jobs are run: they go to a {@link
 * dev.rowlock.queue.internal.claim.QueueConsumer}.
 */
@NullMarked
package dev.rowlock.queue.internal.claim;

import org.jspecify.annotations.NullMarked;
