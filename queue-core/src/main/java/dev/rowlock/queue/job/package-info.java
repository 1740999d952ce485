/**
 * The vocabulary: what a job is, what a claim is, and how an attempt can end. Values only; depends on nothing.
 *
 * <p>Values that people put together ({@link dev.rowlock.queue.job.JobOptions}, {@link
 * dev.rowlock.queue.job.RetryPolicy}, {@link dev.rowlock.queue.job.UniqueKey}) have one name for each part: with an argument
 * the method returns a changed copy, without one it says what is set.
 */
@NullMarked
package dev.rowlock.queue.job;

import org.jspecify.annotations.NullMarked;
