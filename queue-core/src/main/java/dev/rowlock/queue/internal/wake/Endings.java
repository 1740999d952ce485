package dev.rowlock.queue.internal.wake;

/** Hears of jobs that somebody waits for. Called on the thread of the notification listener: must not keep it long. */
public interface Endings {

    /** Another process waits for the ends of these jobs. */
    void awaitedElsewhere(long[] ids);

    /** Another process has ended these jobs. */
    void endedElsewhere(long[] ids);

    /** A node of this process hears notifications from now on. */
    void nodeHears();
}
