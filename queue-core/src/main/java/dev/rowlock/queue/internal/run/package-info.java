/**
 * Runs claimed jobs: holds them for a thread, calls their handlers, stops them, and turns whatever a handler does into one
 * outcome.
 *
 * <p>A queue has no more threads than it has had jobs at once of late: {@link
 * dev.rowlock.queue.internal.run.HandlerThreads} starts one when a job waits and none is free, and lets those end that find
 * nothing.
 */
@NullMarked
package dev.rowlock.queue.internal.run;

import org.jspecify.annotations.NullMarked;
