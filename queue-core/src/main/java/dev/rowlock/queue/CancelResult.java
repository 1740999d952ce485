package dev.rowlock.queue;

/** What came of a request to cancel a job. */
public enum CancelResult {
    /** The job was not running and never will: it is in {@code done} as cancelled. */
    CANCELLED,
    /** The job is running. Its handler is interrupted and told; it may still finish, and then that stands. */
    REQUESTED,
    /** The job had ended before: completed, cancelled, or dead. */
    ALREADY_ENDED,
    /** There is no such job, or retention has dropped it. */
    NOT_FOUND
}
