package dev.rowlock.queue.internal.wake;

/**
 * Receives ends of awaited jobs, and of awaited workflows by their negated ids. Called on the thread of the notification listener, or of chores: must not keep it long.
 */
public interface EndSubscriber {

    /** This process has ended it, or seen that it has. */
    void ended(long id);

    /** Another process waits for the ends of these jobs. */
    void awaitedElsewhere(long[] ids);

    /** Another process has ended these jobs. */
    void endedElsewhere(long[] ids);

    /** A node of this process hears notifications from now on. */
    void nodeHears();
}
