package dev.rowlock.queue.internal.wake;

/**
 * Hears of jobs, and by minus their ids of workflows, that somebody waits for. Called on the thread of the notification listener, or of chores: must
 * not keep it long.
 */
public interface Endings {

    /** This process has ended it, or seen that it has. */
    void ended(long id);

    /** Another process waits for the ends of these jobs. */
    void awaitedElsewhere(long[] ids);

    /** Another process has ended these jobs. */
    void endedElsewhere(long[] ids);

    /** A node of this process hears notifications from now on. */
    void nodeHears();
}
