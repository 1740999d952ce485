package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * When a claim of jobs with keys that was refused its turn comes again. While there is a backlog, few nodes claim from it at a time, and the others wait longer each time, as
 * with jobs without keys: each would only find keys that those have locked. Used by one thread at a time.
 */
final class KeyedTurns {

    private final IntSupplier nodes;
    private final Duration pollInterval;
    private final TurnBackoff backoff = new TurnBackoff();
    private boolean backlog;

    /** @param nodes how many serve the queue */
    KeyedTurns(IntSupplier nodes, Duration pollInterval) {
        this.nodes = nodes;
        this.pollInterval = pollInterval;
    }

    /** Whether the last claim has brought so many jobs that there must be more. */
    boolean backlog() {
        return backlog;
    }

    /** A claim had its turn, and has brought so many jobs. */
    void brought(int jobs) {
        backlog = jobs > ClaimReadyJobs.FEW;
        backoff.over();
    }

    /** A claim was refused: lets a part of the wait pass, and returns the part that a wake-up may cut short. */
    Duration await() {
        return backlog ? Rests.shorter(backoff.await(nodes.getAsInt()), pollInterval) : Rests.behindOthers();
    }
}
