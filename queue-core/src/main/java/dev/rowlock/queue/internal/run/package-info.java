/**
 * Runs claimed jobs: holds them until their outcome is recorded, has a thread make the attempt, and gives back what does not begin.
 *
 * <p>The way of a job: {@link dev.rowlock.queue.internal.run.QueueWorker} holds it and puts it into the {@link
 * dev.rowlock.queue.internal.run.Buffer}, a thread takes it out, {@link dev.rowlock.queue.internal.run.JobRuns} says whether it may
 * begin, {@link dev.rowlock.queue.internal.run.HandlerInvoker} calls its listener, {@link
 * dev.rowlock.queue.internal.run.Failures} decides what follows an exception, and QueueWorker hands the outcome to the recorder.
 *
 * <p>A queue has no more threads than it has had jobs at once of late: {@link dev.rowlock.queue.internal.run.HandlerThreads}
 * starts one when a job waits and none is free, and lets those end that find nothing.
 *
 * <p>One claim and its handler: an {@link dev.rowlock.queue.internal.run.Execution} says what may still happen to the job, a {@link
 * dev.rowlock.queue.internal.run.Call} calls the handler, and whatever that does becomes one outcome. The listeners of
 * a queue come from wherever they like; annotated ones are found in {@code dev.rowlock.queue.spring}.
 *
 * <h2>Many jobs in one call of a listener</h2>
 *
 * <p>The claim, the buffer and the database know nothing of it. A thread that takes a job of such a listener gathers others
 * ({@link dev.rowlock.queue.internal.run.Gathering}): those that wait on this node, and those that other threads take while it
 * lingers. Then it makes the calls that are needed ({@link dev.rowlock.queue.internal.run.ChunkRun}): one if all goes well. A
 * call that throws is made again for each half of its jobs, under the same claims, until the culprit is alone; a job that is
 * alone runs as any other.
 *
 * <p>Each job keeps its own claim and gets its own outcome, which is recorded under its own token. In a transactional call all of
 * them are completed by one statement. Should it find that a claim is lost, the transaction rolls back, and the call is made
 * again without that job.
 */
@NullMarked
package dev.rowlock.queue.internal.run;

import org.jspecify.annotations.NullMarked;
