/**
 * What handlers write to the logs of their jobs ({@code JobContext.log}).
 *
 * <p>{@link dev.rowlock.queue.internal.joblog.JobLog} keeps lines in memory, and a chore writes them: about a second after the first one, a moment after
 * an attempt has ended, and at the stop of the node. So a handler never waits for the database, and a node that is killed takes the lines of its last
 * second along, and one that is killed while it stops, those since the stop began: chores end first. No statement asks whether the claim still stands: a line names its claim's token, and a lost one may still be of interest.
 *
 * <p>Lines lie in {@code job_log} for as long as their job is in any room; then the janitor removes them.
 */
@NullMarked
package dev.rowlock.queue.internal.joblog;

import org.jspecify.annotations.NullMarked;
