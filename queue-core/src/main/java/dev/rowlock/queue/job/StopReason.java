package dev.rowlock.queue.job;

/** Why a handler is to stop. */
public enum StopReason {
    /** The job was cancelled. The handler has been interrupted; once it has stopped, the job ends as cancelled. */
    CANCELLED,
    /** The attempt has run out of time. The handler has been interrupted; the attempt fails. */
    TIMED_OUT,
    /**
     * The node stops. The handler is interrupted when the drain timeout is over; who sees this earlier may throw any exception
     * to give the job back. Another node runs it again at no cost.
     */
    SHUTDOWN,
    /** The job is not this node's any more. The handler has been interrupted; whatever it says is refused. */
    CLAIM_LOST
}
