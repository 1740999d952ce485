/**
 * Waits for ends and results of jobs, and reads their progress and checkpoints.
 *
 * <p>One thread of a process checks all awaited jobs by one statement, again and again: soon at first, later each second. Waiting rests on this check: it
 * finds every end, however and wherever a job ended. For speed, the node of the same process says at once which jobs have ended. For a job without waits it
 * looks at a flag, and nothing else happens.
 */
@NullMarked
package dev.rowlock.queue.internal.result;

import org.jspecify.annotations.NullMarked;
