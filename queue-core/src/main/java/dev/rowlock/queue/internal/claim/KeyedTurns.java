package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.KeyedBatch;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Stop;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Whose turn it is to claim jobs with keys, or all jobs of a queue with a limit of its own. Used by one thread at a time.
 *
 * <p>Among nodes: while there is a backlog, few claim from it at a time. The others wait longer each time that they are refused, as with jobs without keys: each would only find keys that
 * those have locked.
 *
 * <p>Among jobs: those without keys get half of the places of such a queue, counted in jobs, because claims bring more of the ones than of the others.
 */
final class KeyedTurns {

    /** Refused for so long, a node asks for one of the turns that single jobs have: whoever has those of the backlog may be stuck. */
    private static final long PATIENCE = Duration.ofSeconds(1).toNanos();

    /** Where a claim that wanted many jobs has brought so many, there are more soon: with ten nodes, a hundred instead cost each job a tenth more. */
    private static final int BACKLOG = 20;

    private final IntSupplier nodes;
    private final Duration pollInterval;
    private final TurnBackoff backoff = new TurnBackoff();
    private boolean backlog;
    private boolean plainFirst = true; // in the next claim
    private int plainAhead; // how many more jobs without keys than with keys were claimed lately
    private boolean refused; // the last claim was
    private long refusedSince; // monotonic

    /** @param nodes how many serve the queue */
    KeyedTurns(IntSupplier nodes, Duration pollInterval) {
        this.nodes = nodes;
        this.pollInterval = pollInterval;
    }

    /** Whether the last claim wanted many jobs, and has brought so many that there must be more. */
    boolean backlog() {
        return backlog;
    }

    /** Whether jobs without keys come first. */
    boolean plainFirst() {
        return plainFirst;
    }

    /** A claim of so many jobs had its turn. */
    void over(KeyedBatch batch, int limit) {
        List<ClaimedJob> jobs = batch.batch().jobs();
        backlog = limit > ClaimReadyJobs.FEW && jobs.size() >= BACKLOG;
        refused = false;
        backoff.over();
        if (batch.stop() == Stop.NONE) { // otherwise there was no room for anybody
            int keyed = (int) jobs.stream().filter(job -> job.key() != null).count();
            plainAhead = Math.max(-limit, Math.min(limit, plainAhead + jobs.size() - 2 * keyed));
            plainFirst = jobs.isEmpty() ? !plainFirst : plainAhead <= 0;
        }
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
