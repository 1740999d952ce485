/**
 * Waits for ends and results of jobs, and reads their progress and checkpoints.
 *
 * <p>One thread of a process checks all awaited jobs by one statement, again and again: soon at first, later each second. Waiting rests on this check: it
 * finds every end, however a job ended. For speed, the process also announces the ids by {@code
 * NOTIFY}, once it has seen that the jobs have not ended. Nodes keep announced ids in memory. A node that has recorded the end of such
 * a job says so by {@code NOTIFY}, many ids at a time, and the waiting processes check at once. For a job without waits a node
 * looks into an empty set, and nothing else happens.
 *
 * <p>What is announced may be lost: nodes that start later, reconnect, or forget ids because there are too many, hear of them again
 * after some seconds. What ends a job otherwise, a cancel, a rescue or a discard, is found by asking.
 */
@NullMarked
package dev.rowlock.queue.internal.result;

import org.jspecify.annotations.NullMarked;
