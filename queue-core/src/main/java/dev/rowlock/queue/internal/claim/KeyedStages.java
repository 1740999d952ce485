package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.KeyedRound.Look;
import dev.rowlock.queue.internal.claim.key.KeyMemory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When the next claim of jobs with keys is made, and at which of two stages: within the limits of the keys, or letting them borrow idle places.
 *
 * <p>A claim that lets keys borrow comes only after a whole round within their limits has brought nothing, and
 * after each that has brought something comes such a round again: whoever is below its own limit goes first.
 *
 * <p>Used by one thread at a time.
 */
final class KeyedStages {

    /** Rates are looked at no more often: what becomes free meanwhile is taken together. */
    private static final Duration RATE_TICK = Duration.ofMillis(5);

    /** After so many rounds in a row in which somebody else was filling keys, places are borrowed all the same: where many nodes claim, somebody always is. */
    private static final int BUSY_ROUNDS = 3;

    /** Rounds that bring nothing take this share of the time, as long as nothing happens. */
    private static final double SHARE_OF_EMPTY = 0.1;

    /** Whoever changes tables by hand tells nobody, and not every word arrives. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(1);

    private final KeyMemory memory;
    private final Duration pollInterval;
    private boolean borrowing; // whether the next claim lets keys borrow
    private int busyRounds; // in a row, of keys within their limits
    private boolean idle; // the last round has found nothing
    private @Nullable Long rateAt; // when a rate allows the next job, monotonic; null: none keeps any

    KeyedStages(KeyMemory memory, Duration pollInterval) {
        this.memory = memory;
        this.pollInterval = pollInterval;
    }

    /** Whether the claim that begins lets keys borrow. The one after it does not, unless this one says otherwise: what others want is known for a moment only. */
    boolean borrows() {
        boolean now = borrowing;
        borrowing = false;
        return now;
    }

    /** Whether the last round has found nothing. */
    boolean idle() {
        return idle;
    }

    /** A rate allows the next job after this time. */
    void rateAllowsIn(Duration time, long now) {
        long at = now + time.toNanos();
        rateAt = rateAt == null || at - rateAt < 0 ? (Long) at : rateAt;
    }

    /**
     * Decides what the next claim is like.
     *
     * @param borrows whether this one has let keys borrow
     * @param plainToo whether claims bring jobs without keys too
     * @param quiet whether nothing has happened since the round began
     */
    Duration rest(boolean borrows, KeyedRound round, boolean brought, boolean plainToo, boolean quiet) {
        boolean lends = round.lends();
        boolean keys = round.looked();
        boolean plainLeft = plainToo && round.keysFirst();
        KeyedRound.End end = round.end();
        boolean fromFront = round.look() == Look.FROM_FRONT;
        if (fromFront && end != KeyedRound.End.NOT_YET) {
            memory.lookedFromFront(round.took(), System.nanoTime());
        }
        if (end == KeyedRound.End.NOTHING && (round.look() == Look.RECENT || plainLeft)) {
            return Duration.ZERO; // nobody has looked for others: those without a key come first the next time
        }
        idle = end == KeyedRound.End.NOTHING || end == KeyedRound.End.QUEUE_FULL;
        Duration untilFront = fromFront ? pollInterval : memory.frontIn(idle, System.nanoTime());
        if (brought && borrows) {
            return Duration.ZERO; // others go first with the next place
        }
        if (end == KeyedRound.End.NOT_YET || borrows && end == KeyedRound.End.FOUND) {
            borrowing = borrows;
            return Duration.ZERO;
        }
        if (borrows) {
            busyRounds = 0;
        } else {
            borrowing = nobodyWants(end) && lends;
        }
        return borrowing ? Duration.ZERO : restAfter(end, untilFront, quiet && keys ? round.took() : Duration.ZERO);
    }

    /** Whether nobody who is below its limit wants a place, after a claim within limits. */
    private boolean nobodyWants(KeyedRound.End end) {
        switch (end) {
            case FOUND, NOTHING -> busyRounds = 0;
            case BUSY -> busyRounds++;
            case NOT_YET, QUEUE_FULL -> {}
        }
        return end == KeyedRound.End.NOTHING || busyRounds >= BUSY_ROUNDS && end != KeyedRound.End.QUEUE_FULL;
    }

    /**
     * @param untilFront how long until a round may look from the front, if this one has not
     * @param cost what the round took, if nothing has happened meanwhile
     */
    private Duration restAfter(KeyedRound.End end, Duration untilFront, Duration cost) {
        Duration rest = switch (end) {
            case NOT_YET, FOUND -> Duration.ZERO;
            case BUSY -> Rests.behindOthers();
            case QUEUE_FULL -> untilRate(Rests.shorter(untilFront, pollInterval));
            case NOTHING -> untilRate(Rests.longer(Rests.shorter(untilFront, pollInterval), restAfterEmpty(cost)));
        };
        rateAt = null;
        return rest;
    }

    private static Duration restAfterEmpty(Duration cost) {
        return Rests.shorter(Duration.ofNanos((long) (cost.toNanos() * (1 / SHARE_OF_EMPTY - 1))), LONGEST_REST);
    }

    /** No longer than until a rate allows the next job. */
    private Duration untilRate(Duration rest) {
        return rateAt == null
                ? rest
                : Rests.shorter(rest, Rests.longer(RATE_TICK, Duration.ofNanos(rateAt - System.nanoTime())));
    }
}
