/**
 * Recurring jobs: what recurs, when, and what becomes of runs that were missed or overlap.
 *
 * <p>A recurring job is a row of its own, by name. When its time comes, one node enqueues an ordinary job for it. The row's
 * next time and that job's insert are one statement, so each time brings exactly one job, however many nodes there are and
 * wherever one dies.
 *
 * <p>Applications declare them with {@link dev.rowlock.queue.schedule.Recurring} or as beans of type {@link
 * dev.rowlock.queue.schedule.RecurringJob}, and manage them at run time with {@link
 * dev.rowlock.queue.schedule.RecurringJobs}.
 */
@NullMarked
package dev.rowlock.queue.schedule;

import org.jspecify.annotations.NullMarked;
