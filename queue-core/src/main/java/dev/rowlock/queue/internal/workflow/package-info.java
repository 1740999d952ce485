/**
 * Starts the steps of workflows when their conditions hold.
 *
 * <p>A job's outcome knows nothing of workflows. The node that has recorded the outcome of a workflow's job names the job to {@link
 * dev.rowlock.queue.internal.workflow.WorkflowFeature.WorkflowEnds}. The thread of workflows then goes in circles, one short transaction after the other:
 *
 * <ol>
 *   <li>it notes what became of the jobs, as the rooms say;
 *   <li>for steps without an open job, or with one that failed, it locks the steps behind them and decides: release, skip, or neither; in the same
 *       transaction it moves the jobs of steps that have few and may run;
 *   <li>it moves the jobs of the others, some at a time; skipped ones have ended, so it goes on at 2; an open step has not moved as long as there are
 *       transactions that have added to it while it waited;
 *   <li>it notes which workflows have ended; if one is a job of another, it goes on at 1.
 * </ol>
 *
 * <p>Large steps, long chains of steps that are skipped, and large workflows that are cancelled take many transactions. {@code LargeWorkflows} in {@link
 * dev.rowlock.queue.internal.workflow.WorkflowFeature} does one for each of them, in turns with the other chores of the thread.
 * So they hold up no other workflow.
 *
 * <p>Each part looks at what is, never at what it was told, and may be done twice. A node that dies between two of them leaves work to {@link
 * dev.rowlock.queue.internal.workflow.Sweep}, which walks through everything again and again, slowly.
 */
@NullMarked
package dev.rowlock.queue.internal.workflow;

import org.jspecify.annotations.NullMarked;
