/**
 * Tells listeners of the deaths of their jobs.
 *
 * <p>A listener may name code for that ({@code onDead}). {@link dev.rowlock.queue.internal.dead.DeadJobListeners} makes it a listener of its own,
 * for the type {@code <type>.dead}. {@link dev.rowlock.queue.internal.dead.TellOfDead} finds dead jobs that nobody has been told of, enqueues a
 * job of that type for each, and marks them, all in one statement: so there is exactly one such job for each death, whatever dies. Neither the claim nor
 * the record of an outcome knows of it; a job that is redriven and dies again is a new row, which nobody has been told of.
 *
 * <p>{@code dead_listener} says since when a type has such a listener. Nobody is told of deaths before that.
 */
@NullMarked
package dev.rowlock.queue.internal.dead;

import org.jspecify.annotations.NullMarked;
