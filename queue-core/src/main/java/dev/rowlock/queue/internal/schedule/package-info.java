/**
 * Recurring jobs: their chore on each node, what applications declare, and the calls that manage them.
 *
 * <p><b>Exactly one job for each run.</b> A row of the table {@code schedule} says when its next run is. Every node that runs jobs
 * sleeps until the next row is due, reads what is due, reckons the following times, and hands both to {@link
 * dev.rowlock.queue.internal.schedule.FireSchedules}: one statement that moves the row on and inserts the jobs. The row is named by its version,
 * so of nodes that look at once one wins; whatever dies before the commit leaves the run due, for the next look of any node.
 *
 * <p><b>Who enqueues what.</b> Rows that were made at run time belong to all nodes. A row that an application declares is only
 * moved on by nodes that declare it; so no job is enqueued whose code is gone. Nodes confirm now and then what they declare. A
 * row that no node has confirmed for an hour is retired, so that it does not lie in front of the index for ever.
 *
 * <p><b>Versions of an application at once.</b> A node writes its declaration when it starts. Later it does so only if the node
 * whose declaration is there has left. So a rolling deployment ends with the newest one, and nodes do not overwrite each other in turns.
 */
@NullMarked
package dev.rowlock.queue.internal.schedule;

import org.jspecify.annotations.NullMarked;
