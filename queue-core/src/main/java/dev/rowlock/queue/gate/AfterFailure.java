package dev.rowlock.queue.gate;

/** What becomes of the other jobs of a key, in a queue that runs them in order, when one of them has failed for good or is quarantined. */
public enum AfterFailure {

    /** They wait until somebody redrives or discards the job that failed. */
    HOLD,

    /** They go on. */
    CONTINUE,

    /** Those that were enqueued before it failed are cancelled; those that come later run. */
    CANCEL_REST
}
