package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.lease.BeatNode.Place;

/** What a claimer must know of its node, and tell it. Thread-safe. */
public interface NodeView {

    /** The node's current id; 0 while it has no lease. */
    long nodeId();

    /** Its place among the nodes that run jobs of this queue, as of the last heartbeat. */
    Place place(String queue);

    /** Whether notifications arrive, so that polling is only the safety net. */
    boolean hearing();

    /** Which ready jobs may be claimed. */
    default Admissions admissions() {
        return Admissions.ALL;
    }

    /** A claim has failed; whether it was committed, nobody knows. */
    void claimFailed();
}
