package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.KeyedBatch.Stop;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where claims stand that go round through all keys of a queue, so that none comes twice before each has come once, and when the next one is made.
 *
 * <p>Rounds are of two stages: within the limits of the keys, or letting them borrow idle places. A claim that lets keys borrow comes only after a whole
 * round within their limits has brought nothing, and after each that has brought something comes such a round again: whoever is below its own limit goes
 * first. Each stage goes on where it was.
 *
 * <p>Used by one thread at a time.
 */
final class KeyedRounds {

    /** Rates are looked at no more often: what becomes free meanwhile is taken together. */
    private static final Duration RATE_TICK = Duration.ofMillis(5);

    /** After so many rounds in a row in which somebody else was filling keys, places are borrowed all the same: where many nodes claim, somebody always is. */
    private static final int BUSY_ROUNDS = 3;

    /** A round that stood still for longer lends nothing: who was passed over at its beginning may have got a job meanwhile. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** Rounds that bring nothing take this share of the time, as long as nothing happens. */
    private static final double SHARE_OF_EMPTY = 0.1;

    /** Whoever changes tables by hand tells nobody, and not every word arrives. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(5);

    /** The same where nobody tells anything. */
    private static final Duration LONGEST_REST_UNTOLD = Duration.ofSeconds(1);

    /** How a round has ended. */
    private enum End {
        NOT_YET,
        FOUND,
        /** It has brought nothing, and somebody else was filling some of its keys. */
        BUSY,
        /** The queue as a whole has no room. Where the round has begun, it goes on when there is some. */
        QUEUE_FULL,
        NOTHING
    }

    /**
     * What is known of a claim beside what it brought.
     *
     * @param plainFirst whether jobs without keys came first
     * @param cancelled whether jobs that it found were ended without being claimed: there may be others in their places
     * @param told whether word would come of anything that lets a key's jobs run
     */
    record Seen(boolean plainFirst, boolean cancelled, boolean told) {}

    private static final class Round {

        private Look look = Look.FIRST;
        private boolean walks;
        private boolean whole; // it has walked from its beginning on
        private boolean found;
        private boolean busy;
        private boolean looked; // at any key that has jobs
        private boolean lends = true; // all its claims had room, and who has found none by its own limit may borrow
        private boolean plainFirst; // in one of its claims
        private boolean paused; // between two of its claims
        private Duration took = Duration.ZERO;

        private boolean begins() {
            return look.key().isEmpty();
        }

        private void seen(KeyedBatch batch, Seen seen) {
            look = batch.next() == null ? Look.FIRST : batch.next();
            found |= !batch.batch().jobs().isEmpty() || seen.cancelled();
            busy |= batch.busy() > 0;
            looked |= batch.keys();
            lends &= batch.lends();
            plainFirst |= seen.plainFirst();
            took = took.plus(batch.batch().took());
        }

        private End end(Stop stop) {
            if (stop == Stop.QUEUE_FULL) {
                found |= !begins(); // it is interrupted: another one finds out whether nobody wants a place
                return End.QUEUE_FULL;
            }
            return !begins() ? End.NOT_YET : found ? End.FOUND : busy ? End.BUSY : End.NOTHING;
        }
    }

    private final KeyCursor cursor;
    private final Duration pollInterval;
    private Round own = new Round();
    private Round borrowed = new Round();
    private boolean borrows; // the next claim
    private int busyRounds; // in a row, of keys within their limits
    private boolean idle; // the last round has found nothing
    private boolean heard; // there was word of jobs of any keys since the last whole walk began
    private boolean answers; // the claim that is under way begins one
    private long overAt; // the last claim, monotonic
    private @Nullable Long rateAt; // when a rate allows the next job, monotonic; null: none keeps any

    KeyedRounds(KeyCursor cursor, Duration pollInterval) {
        this.cursor = cursor;
        this.pollInterval = pollInterval;
    }

    private Round round() {
        return borrows ? borrowed : own;
    }

    /** Whether the next claim lets keys borrow. */
    boolean borrows() {
        return borrows;
    }

    /**
     * How long word of jobs of any keys must wait for a round: where the last one has found nothing, and there is nothing to ask but all keys, such rounds take a
     * share of the time.
     */
    Duration untilHeard(long now) {
        return idle && !cursor.knowsAny() ? cursor.walkIn(true, true, now) : Duration.ZERO;
    }

    /**
     * Where the next claim of a round looks.
     *
     * @param word whether there was word of jobs of any keys since the last claim of a round
     */
    Look next(boolean word, long now) {
        boolean paused = now - overAt > LONGEST_PAUSE.toNanos();
        if (paused) {
            borrowNothing();
        }
        Round round = round();
        round.paused |= paused && !round.begins();
        heard |= word;
        boolean mayWalk =
                borrows || !cursor.knowsAny() || cursor.walkIn(idle, heard, now).isZero();
        answers = round.begins() && mayWalk;
        if (round.begins()) {
            round.walks = false;
            round.whole = mayWalk;
        }
        if (mayWalk && !round.walks) {
            round.walks = true;
            cursor.walks();
        }
        // Keys behind those that could not run are looked at many at a time.
        Look look = round.look.widely(!round.begins() && !round.found);
        return borrows ? look.borrowing() : look;
    }

    /** Whether that claim walks from key to key. */
    boolean walks() {
        return round().walks;
    }

    /**
     * That claim was refused its turn. Where whoever is below its limit gets jobs, the round goes on where it is. Keys borrow only behind a whole round that has
     * brought nothing, so there comes such a one.
     */
    void refused() {
        borrowNothing();
    }

    private void borrowNothing() {
        if (borrows) {
            borrowed = new Round();
            borrows = false;
        }
    }

    /** That claim has come back. Returns when the next one is made, unless something happens. */
    Duration over(KeyedBatch batch, Seen seen, long now) {
        boolean borrowing = borrows;
        Round round = round();
        borrows = false;
        overAt = now;
        heard &= !answers || batch.stop() == Stop.QUEUE_FULL;
        Duration rest = rest(round, borrowing, batch, seen, now);
        boolean looksAgain = heard && batch.stop() == Stop.NONE; // word came in the midst of the round
        return looksAgain ? Rests.shorter(rest, cursor.walkIn(idle, true, now)) : rest;
    }

    private Duration rest(Round round, boolean borrowing, KeyedBatch batch, Seen seen, long now) {
        round.seen(batch, seen);
        rateAllowsIn(batch.untilRate(), now);
        End end = round.end(batch.stop());
        if (round.begins()) {
            if (end != End.QUEUE_FULL) {
                cursor.roundIsOver(round.walks, round.whole, now);
            }
            startAfresh(borrowing);
        }
        idle = end == End.NOTHING || end == End.QUEUE_FULL;
        if (borrowing && !batch.batch().jobs().isEmpty()) {
            return Duration.ZERO; // others go first with the next place
        }
        if (end == End.NOT_YET || end == End.FOUND) {
            busyRounds = end == End.FOUND ? 0 : busyRounds;
            borrows = borrowing;
            return Duration.ZERO;
        }
        if (end == End.NOTHING && batch.limited() && round.looked && !round.plainFirst) {
            return Duration.ZERO; // keys have kept the places from those without one, which come first the next time
        }
        if (end == End.NOTHING && !round.whole) {
            return untilRate(Rests.shorter(cursor.walkIn(true, heard, now), pollInterval), now);
        }
        if (!borrowing && round.lends && nobodyWants(end) && round.whole) {
            borrows = !round.paused;
            return Duration.ZERO;
        }
        return restAfter(end, round, seen.told(), now);
    }

    private void startAfresh(boolean borrowing) {
        if (borrowing) {
            borrowed = new Round();
        } else {
            own = new Round();
        }
    }

    /** Whether nobody who is below its limit wants a place, after a round within limits. */
    private boolean nobodyWants(End end) {
        busyRounds = end == End.BUSY ? busyRounds + 1 : 0;
        return end == End.NOTHING || busyRounds >= BUSY_ROUNDS;
    }

    private Duration restAfter(End end, Round round, boolean told, long now) {
        if (end == End.BUSY) {
            return Rests.behindOthers();
        }
        Duration cost = end == End.NOTHING && round.looked ? round.took : Duration.ZERO;
        Duration rest = Rests.shorter(
                Duration.ofNanos((long) (cost.toNanos() * (1 / SHARE_OF_EMPTY - 1))),
                told ? LONGEST_REST : LONGEST_REST_UNTOLD);
        return untilRate(Rests.longer(rest, pollInterval), now);
    }

    private void rateAllowsIn(@Nullable Duration time, long now) {
        if (time != null && (rateAt == null || now + time.toNanos() - rateAt < 0)) {
            rateAt = now + time.toNanos();
        }
    }

    /** No longer than until a rate allows the next job. */
    private Duration untilRate(Duration rest, long now) {
        Long at = rateAt;
        rateAt = null;
        return at == null ? rest : Rests.shorter(rest, Rests.longer(RATE_TICK, Duration.ofNanos(at - now)));
    }
}
