/**
 * Runs many jobs in one call of a listener. The claim, the buffer and the database know nothing of it.
 *
 * <p>A thread that takes a job of such a listener gathers others ({@link dev.rowlock.queue.internal.chunk.Gathering}): those that
 * wait on this node, and those that other threads take while it lingers. Then it makes the calls that are needed ({@link
 * dev.rowlock.queue.internal.chunk.ChunkRun}): one if all goes well. A call that throws is made again for each half of its jobs, under the same
 * claims, until the culprit is alone; a job that is alone runs as any other ({@code HandlerInvoker}).
 *
 * <p>Each job keeps its own claim and gets its own outcome, which is recorded under its own token. In a transactional call all
 * of them are completed by one statement. Should it find that a claim is lost, the transaction rolls back, and the call is made
 * again without that job.
 */
@NullMarked
package dev.rowlock.queue.internal.chunk;

import org.jspecify.annotations.NullMarked;
