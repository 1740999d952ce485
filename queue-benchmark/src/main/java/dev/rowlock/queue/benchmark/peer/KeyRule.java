package dev.rowlock.queue.benchmark.peer;

/** What holds for the jobs of each key. */
public enum KeyRule {
    NONE,
    /** Ten run at once, at most. */
    TEN_AT_ONCE,
    /** One runs at once, at most. */
    ONE_AT_ONCE,
    /** One after the other, in the order of their enqueues. */
    IN_ORDER,
    /** A rate that is never used up: what it costs to look. */
    RATE,
    /** Every second key gets three times as much as the others. */
    WEIGHTS
}
