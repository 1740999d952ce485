/**
 * Observations, by Micrometer: enqueues and attempts as timed spans, joined by trace context in the headers of jobs.
 *
 * <p>An enqueue writes the context of its span into its jobs' headers ({@link ObservedEnqueues}, a sender). An attempt reads it
 * ({@link ObservedAttempts}, a receiver): its span is a child of the enqueue's if the job starts soon and for the first time,
 * and otherwise begins a trace of its own with a link to it ({@link JobTracingHandler}). Headers stay with a job over retries, snoozes,
 * crashes and redrives, so all of its attempts lead to the same enqueue.
 *
 * <p>Nothing here is on the way of jobs unless it was put there: neither the front door nor the worker knows of it.
 */
@NullMarked
package dev.rowlock.queue.trace;

import org.jspecify.annotations.NullMarked;
