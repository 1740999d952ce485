package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.LongRun;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The node that chores work for, as far as they need to know it. */
public interface OwnNode {

    /** The node's id; 0 while it has no lease. */
    long nodeId();

    /** Its place among all nodes. */
    Place place();

    /** Whether it hears of what other nodes do. */
    boolean hearing();

    // The rest a manual node needs no answer to: it lives beside no others, and holds no jobs.

    /** The heartbeats of other nodes that were their last ones for a whole lease; empty if this node cannot know. */
    default List<Heartbeat> silentNodes() {
        return List.of();
    }

    /** When the first of the other nodes' leases runs out unless it is renewed; null without others. */
    default @Nullable Duration nextExpiry() {
        return null;
    }

    /** The claims of handlers that still run so long after their deadline, by the monotonic clock. */
    default List<OverdueClaim> overdue(Duration grace) {
        return List.of();
    }

    /** The jobs whose handlers have been running for so long. */
    default List<LongRun> longRuns(Duration atLeast) {
        return List.of();
    }

    /** The tokens of all claims that the node holds: unstarted, running, and with outcomes not yet written. */
    default long[] heldTokens() {
        return new long[0];
    }
}
