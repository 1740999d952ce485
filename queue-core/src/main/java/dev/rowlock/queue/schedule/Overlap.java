package dev.rowlock.queue.schedule;

/**
 * What becomes of a run whose time comes while the job of the run before has not ended. A job that waits for a retry has not
 * ended; a dead one has.
 */
public enum Overlap {
    /** It runs beside it. */
    ALLOW,
    /** It does not take place. */
    SKIP,
    /** It begins once the other has ended. Of several that wait, the last one does. */
    QUEUE_ONE,
    /**
     * The other is cancelled, and it begins once that has ended: at once if the other had not begun, otherwise when its handler
     * has returned.
     */
    CANCEL_RUNNING
}
