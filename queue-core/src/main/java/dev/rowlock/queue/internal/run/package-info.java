/**
 * Runs claimed jobs: holds them until their outcome is recorded, has a thread make the attempt ({@code attempt}), and gives back
 * what does not begin.
 *
 * <p>A queue has no more threads than it has had jobs at once of late: {@link
 * dev.rowlock.queue.internal.run.HandlerThreads} starts one when a job waits and none is free, and lets those end that find
 * nothing.
 */
@NullMarked
package dev.rowlock.queue.internal.run;

import org.jspecify.annotations.NullMarked;
