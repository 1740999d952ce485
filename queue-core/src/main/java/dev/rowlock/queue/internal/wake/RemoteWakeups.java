package dev.rowlock.queue.internal.wake;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives wake-ups from other processes, as all nodes do. Called on the thread of this node's notification listener: must
 * not keep it long.
 */
public interface RemoteWakeups {

    /**
     * So many jobs became runnable in this queue, the most urgent with this rank.
     *
     * @param first the same for all who hear this, another one the next time: which node looks first, the others counted from it
     */
    void jobsReady(String queue, int rank, long jobs, int first);

    /** Some of the jobs that the next call tells of went back to the place in the queue that they had. */
    void jobsBack(String queue);

    /** A job will become runnable after this time. */
    void jobsWaiting(Duration dueIn);

    /** Another node has moved all jobs that were due; the next one is due after this time, null: none. */
    void dueJobsMoved(@Nullable Duration nextDue);

    /**
     * This node's own message of this look has come back. All nodes hear the same messages in the same order: whatever they hear
     * from now on, they hear after it.
     */
    void allHaveHeardOf(long look);

    /**
     * Jobs with keys became runnable in this queue, or there is room for one.
     *
     * @param key of this key; null: nobody knows of which
     * @param first as of {@link #jobsReady}
     */
    void keysReady(String queue, @Nullable String key, int first);

    /** A queue was paused or resumed, or a running job is to be cancelled. */
    void attention();
}
