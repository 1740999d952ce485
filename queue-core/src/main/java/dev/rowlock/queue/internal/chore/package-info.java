/**
 * What chores have in common: when they run next, how they rest, how they get past one row that the database refuses.
 *
 * <p>A chore from elsewhere implements {@link dev.rowlock.queue.internal.chore.Chore} and knows nothing of the janitor.
 */
@NullMarked
package dev.rowlock.queue.internal.chore;

import org.jspecify.annotations.NullMarked;
