package dev.rowlock.queue.chaos.load;

/** What a producer knows about the transaction that enqueued a job. */
public enum Fate {
    COMMITTED,
    ROLLED_BACK,
    /** The connection broke during the commit: nobody can know. */
    UNKNOWN
}
