/**
 * Inserts jobs, and what surrounds a call that does so.
 *
 * <h2>Unique keys that do more than keep a job</h2>
 *
 * <p><b>Who decides.</b> A call locks the rows of its keys, in the order of the keys. Then it looks, with a new snapshot, what
 * the jobs are doing that hold them. A job that it may change is locked in its room, and claims pass over it. So nothing that the
 * call has seen can change before its transaction ends. Requests with the same key in one call are looked at one after the other.
 *
 * <p><b>Once more.</b> A request that meets a job that has started inserts its own job, which takes the key. It lies in {@code
 * waiting} with a due time that never comes, and a row of {@code once_more} names the job whose end it waits for. So it is a job
 * as any other: it is found, cancelled, and changed by later requests. A chore on each node makes it due when that job has ended,
 * in one statement that also deletes the row. If it was cancelled, another statement gives its key back to the job that it waited
 * for. Nothing is kept in memory: whatever dies, the next look of any node goes on. A row that the database refuses to change, or
 * that another transaction has locked, holds up no other.
 */
@NullMarked
package dev.rowlock.queue.internal.enqueue;

import org.jspecify.annotations.NullMarked;
