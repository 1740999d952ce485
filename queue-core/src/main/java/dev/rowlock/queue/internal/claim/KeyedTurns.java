package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
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
 * <p>Among jobs of a queue with a limit of its own: the kind comes first that has had less of its places, or of what its rate allows.
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
    private boolean plainLeft = true; // whether there are more jobs without keys, as far as is known
    private boolean keyedLeft = true; // the same of those with keys
    private int plainAhead; // how many more jobs without keys than with keys were claimed lately
    private boolean byRate; // whether the rate of the queue lets no more jobs begin
    private boolean nothingKeyed; // the last claim looked for those with keys first, and brought none
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

    /**
     * Which kind comes first: the one behind, unless it has just been found to have nothing. Keys that have jobs and no room would
     * keep the place from those without a key.
     */
    Kind first(Kind behind) {
        if (nothingKeyed) {
            return Kind.PLAIN;
        }
        return !byRate ? behind : plainAhead <= 0 ? Kind.PLAIN : Kind.KEYED;
    }

    /** Whether both kinds have jobs left that wait. */
    boolean contended() {
        return plainLeft && keyedLeft;
    }

    /** A claim of so many jobs had its turn. */
    void over(KeyedBatch batch, boolean plainFirst, int limit) {
        List<ClaimedJob> jobs = batch.batch().jobs();
        backlog = limit > ClaimReadyJobs.FEW && jobs.size() >= BACKLOG;
        refused = false;
        backoff.over();
        byRate = batch.untilRate() != null || byRate && jobs.size() < limit;
        if (batch.stop() == Stop.NONE) { // otherwise there was no room for anybody
            nothingKeyed = jobs.isEmpty() && !plainFirst;
            int plain = (int)
                    jobs.stream().filter(job -> Kind.of(job) == Kind.PLAIN).count();
            plainAhead = Math.max(-limit, Math.min(limit, plainAhead + 2 * plain - jobs.size()));
            boolean full = jobs.size() >= batch.room();
            boolean onlyFirst = full && plain == (plainFirst ? jobs.size() : 0);
            if (plainFirst) {
                plainLeft = onlyFirst;
                keyedLeft = onlyFirst ? keyedLeft : full; // what the first kind does not take, the other one may
            } else {
                // Their keys share the room evenly, so they may leave some of it and have more jobs nevertheless.
                keyedLeft = plain < jobs.size();
                plainLeft = onlyFirst || plain == 0 ? plainLeft : full;
            }
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
