/**
 * One claim and its handler: an {@link dev.rowlock.queue.internal.attempt.Execution} says what may still happen to the job, {@link
 * dev.rowlock.queue.internal.attempt.HandlerInvoker} calls the handler, and whatever that does becomes one outcome.
 *
 * <p>Nothing here knows which threads and queues there are: that is {@code run}, which uses this package.
 */
@NullMarked
package dev.rowlock.queue.internal.attempt;

import org.jspecify.annotations.NullMarked;
