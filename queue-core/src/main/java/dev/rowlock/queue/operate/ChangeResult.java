package dev.rowlock.queue.operate;

/** What came of a change of one job. */
public enum ChangeResult {
    /** The job is as it was asked for. */
    CHANGED,
    /** The job is ready already: there was nothing to do. */
    UNCHANGED,
    /** A node has the job, and it is not changed under its handler. Cancel it, or wait until it comes back or ends. */
    RUNNING,
    /** The job has ended: completed, cancelled, or dead where only live jobs can be changed. */
    ALREADY_ENDED,
    /** There is no such job, or retention has dropped it. */
    NOT_FOUND
}
