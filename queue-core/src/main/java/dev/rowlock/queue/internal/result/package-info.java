/**
 * Waiting for the ends of jobs.
 *
 * <p>One thread of a process asks for all jobs that somebody there waits for, by one statement, again and again: soon at first, later
 * each second. This is what waiting rests on; it finds whatever ended a job. For speed, the process also announces the ids by {@code
 * NOTIFY}, once it has seen that the jobs have not ended. Nodes keep announced ids in memory. A node that has recorded the end of such
 * a job says so by {@code NOTIFY}, many ids at a time, and those who wait ask at once. For a job that nobody waits for a node looks
 * into an empty set, and nothing else happens.
 *
 * <p>What is announced may be lost: nodes that start later, reconnect, or forget ids because there are too many, hear of them again
 * after some seconds. What ends a job otherwise, a cancel, a rescue or a discard, is found by asking.
 */
@NullMarked
package dev.rowlock.queue.internal.result;

import org.jspecify.annotations.NullMarked;
