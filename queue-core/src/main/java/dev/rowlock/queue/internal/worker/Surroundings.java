package dev.rowlock.queue.internal.worker;

/** What a fetcher must know of its node, and tell it. Thread-safe. */
interface Surroundings {

    /** The node's current id; 0 while it has no lease. */
    long nodeId();

    /** How many nodes there are, this one included, as of the last heartbeat. */
    int nodes();

    /** Whether notifications arrive, so that polling is only the safety net. */
    boolean hearing();

    /** A claim has failed; whether it was committed, nobody knows. */
    void claimFailed();
}
