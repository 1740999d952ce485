package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.BeatNode.Place;

/** What the janitor must know of the node that it works for. */
public interface OwnNode {

    /** The node's id; 0 while it has no lease. */
    long nodeId();

    /** Its place among all nodes. */
    Place place();

    /** Whether it hears of what other nodes do. */
    boolean hearing();

    /** The tokens of all claims that the node holds: unstarted, running, and with outcomes not yet written. */
    long[] heldTokens();
}
