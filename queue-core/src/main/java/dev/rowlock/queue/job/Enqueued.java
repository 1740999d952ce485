package dev.rowlock.queue.job;

/** What became of a request to enqueue a job. */
public enum Enqueued {
    /** There is a new job. */
    CREATED,
    /** Another job holds the key. It is as it was: this request's payload is not stored. */
    KEPT,
    /** The job that holds the key had not started. It now has this request's payload and options. */
    REPLACED,
    /** The same, and it is due later than before, unless it has waited for the longest time already. */
    POSTPONED,
    /** The job that held the key has started. A further one runs this request's payload after its end. */
    ONCE_MORE
}
