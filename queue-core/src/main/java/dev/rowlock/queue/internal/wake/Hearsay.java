package dev.rowlock.queue.internal.wake;

import java.time.Duration;

/** Told what happened in another process, as all nodes are, each by its own ear. Thread-safe; never blocks. */
public interface Hearsay {

    /**
     * So many jobs became runnable in this queue, the most urgent with this rank.
     *
     * @param turn the same for all who hear this, another one the next time: whose turn it is to look first
     */
    void jobsReady(String queue, int rank, long jobs, int turn);

    /** A job will become runnable after this time. */
    void jobsWaiting(Duration dueIn);

    /** A queue was paused or resumed, or a running job is to be cancelled. */
    void attention();
}
