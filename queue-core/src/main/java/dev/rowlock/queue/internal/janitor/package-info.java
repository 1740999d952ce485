/**
 * What must happen though nobody asks: due jobs become ready, dead nodes' jobs come back, overdue jobs are taken, old
 * ones dropped, what nobody needs any more removed (free keys, leftover payloads, places that claims reached), depths
 * measured.
 *
 * <p>There is no leader. Sweeps take their rows with {@code SKIP LOCKED}, so any number of nodes may sweep at once. Chores
 * that one node at a time should do for all are won through the table {@code chore}: whoever moves the due time forward
 * does it. A node that dies over a chore costs one interval.
 *
 * <p>Rescue in two steps, both repeatable: an expired node's row is removed, by a node that has itself beaten without a
 * gap for a whole lease; then whatever is in {@code running} and has no node goes back. The second step also finds jobs
 * that a node claimed in the very moment in which it was declared dead. Between the steps nothing is lost: the jobs
 * stand in {@code running} until somebody takes the second.
 *
 * <p>Each chore has a {@code runOnce} that returns when it wants to run again.
 */
@NullMarked
package dev.rowlock.queue.internal.janitor;

import org.jspecify.annotations.NullMarked;
