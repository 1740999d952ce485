/**
 * Claims jobs: when to look, where in the queue, how many at once, and the statements that move them from ready to running. Knows nothing of how jobs are run: they go to a {@link
 * dev.rowlock.queue.internal.claim.QueueConsumer}.
 *
 * <p>Two parts are there for many nodes. {@link dev.rowlock.queue.internal.claim.TurnBackoff} lets few of them do the claiming: 50 nodes drained 58 to 68 thousand jobs/s with it, 49 to 60 without. The
 * table {@code reached} lets a claim begin where any node's last one ended: with 50 nodes 1.5 index pages touched per job, 1.8 without.
 *
 * <h2>Jobs with keys, and queues with limits</h2>
 *
 * <p>They are a second source ({@link dev.rowlock.queue.internal.claim.Claimer} says which is asked), with a claim of its own: the function {@code claim_keyed_v1} of the schema takes the locks of some keys, counts
 * what runs of each with a newer snapshot, and moves as many jobs as there is room for. All that limits a job is decided in there; what a node remembers only says where to look.
 *
 * <p>{@link dev.rowlock.queue.internal.claim.KeyedClaims} makes these claims. Keys of which there was word (a job was enqueued, or one has ended that took a place) come first, if nothing but their own limits can
 * keep their jobs. Otherwise a round goes on ({@link dev.rowlock.queue.internal.claim.KeyedRounds}): from key to key through all that have jobs, or, because that costs time where many keys cannot run, through
 * those that brought jobs lately ({@link dev.rowlock.queue.internal.claim.KeyCursor}). {@link dev.rowlock.queue.internal.claim.KeyedTurns} says who may claim many at a time.
 *
 * <h2>Queues where nothing happens</h2>
 *
 * <p>A {@link dev.rowlock.queue.internal.claim.Fetcher} has a thread while its queue brings jobs. When that has brought none for a minute, the fetcher rests: its thread ends. What a node does from time
 * to time does not grow with its queues, then: one thread of {@link dev.rowlock.queue.internal.claim.Fetchers} asks for all queues whose fetchers rest, in one statement, at the poll interval. Where a job
 * is ready it wakes the fetcher.
 *
 * <ul>
 *   <li>A fetcher that rests is called by the same signal that it would wait for: raised (a wake-up, room in the buffer), or planned for later (a job that other nodes look for
 *       first). Whether anything has happened since its last wait is decided under the signal's lock, so none of that is lost.
 *   <li>It rests only where the node's poll can take its place: its last claim looked from the front, found nothing, and was quick; no rate has said when it allows the next job;
 *       no jobs are left ready on purpose, because the server refuses them or the node leaves their types to others; and the queue has brought no job of an unknown type lately. A
 *       paused queue rests, and nobody polls it.
 *   <li>A queue where the common look takes long (dead entries that vacuum cannot remove, a large transaction that is still open) would make all others wait. Its fetcher is woken
 *       too. It polls for itself, from its cursor and within its shares of the time, until its claims are quick again.
 *   <li>A thread that cannot be started for lack of memory is named in the node's health. The poll tries again.
 *   <li>After a stop no thread begins to claim. Until the last claim has ended, {@link dev.rowlock.queue.internal.claim.Fetchers.LastClaims} waits.
 * </ul>
 */
@NullMarked
package dev.rowlock.queue.internal.claim;

import org.jspecify.annotations.NullMarked;
