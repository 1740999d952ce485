/**
 * How threads of Rowlock's own live on, wait, and share their time.
 *
 * <p>A node that loses a thread goes on without a part of itself: one without its recorder holds its jobs for ever. So each
 * loop of ours runs in a {@link dev.rowlock.queue.internal.thread.EndlessTask}, which begins it anew should it throw, whatever
 * that is: where memory runs out anything may throw, also the log statement that was to tell of it. A thread that does not
 * recover is named in the node's health.
 */
@NullMarked
package dev.rowlock.queue.internal.thread;

import org.jspecify.annotations.NullMarked;
