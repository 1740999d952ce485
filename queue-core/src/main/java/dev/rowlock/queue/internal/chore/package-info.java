/**
 * What chores have in common: when they run next, how they rest, and which node does those that one does for all ({@link
 * dev.rowlock.queue.internal.chore.SharedChore}). A {@link dev.rowlock.queue.internal.chore.Feature} adds chores of its own to
 * each node.
 *
 * <p>A chore from elsewhere implements {@link dev.rowlock.queue.internal.chore.Chore} and knows nothing of the threads that run it.
 */
@NullMarked
package dev.rowlock.queue.internal.chore;

import org.jspecify.annotations.NullMarked;
