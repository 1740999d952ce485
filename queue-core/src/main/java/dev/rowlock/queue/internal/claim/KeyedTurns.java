package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * When a claim of jobs with keys that was refused its turn comes again. While there is a backlog, few nodes claim from it at a time, and the others wait longer each time, as
 * with jobs without keys: each would only find keys that those have locked. Used by one thread at a time.
 */
final class KeyedTurns {

    /** Refused for so long, a node asks for one of the turns that single jobs have: whoever has those of the backlog may be stuck. */
    private static final long PATIENCE = Duration.ofSeconds(1).toNanos();

    private final IntSupplier nodes;
    private final Duration pollInterval;
    private final TurnBackoff backoff = new TurnBackoff();
    private boolean backlog;
    private boolean refused; // the last claim was
    private long refusedSince; // monotonic

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
        refused = false;
        backoff.over();
    }

    /** A claim was refused: lets a part of the wait pass, and returns the part that a wake-up may cut short. */
    Duration await() {
        long now = System.nanoTime();
        refusedSince = refused ? refusedSince : now;
        refused = true;
        backlog &= now - refusedSince < PATIENCE;
        return backlog ? Rests.shorter(backoff.await(nodes.getAsInt()), pollInterval) : Rests.behindOthers();
    }
}
