package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.key.RecentKeys;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.KeyedBatch;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Stop;
import dev.rowlock.queue.internal.store.claim.ClaimKeyedJobs.Turn;
import java.time.Duration;

/**
 * Where claims stand that go round through all keys of a queue, so that none comes twice before each has come once, and what came of it
 * since the round began. Used by one thread at a time.
 */
final class KeyedRound {

    private Turn turn = Turn.FIRST;
    private boolean found;
    private boolean busy;
    private boolean looked;
    private boolean lends = true;
    private boolean plainFirst;
    private Look look = Look.FROM_FRONT;
    private Duration took = Duration.ZERO;
    private Stop stop = Stop.NONE; // of the last claim

    /** Which keys a round asks. */
    enum Look {
        /** All, each from its front. */
        FROM_FRONT,
        /** All, those that are known where they were left. */
        KNOWN,
        /** Those of {@link RecentKeys} alone. */
        RECENT
    }

    /** How a round has ended. */
    enum End {
        /** Not yet. */
        NOT_YET,
        /** It has brought jobs. */
        FOUND,
        /** It has brought none, and somebody else was filling some of its keys. */
        BUSY,
        /** The queue as a whole has no room. Where the round has begun, it goes on when there is some. */
        QUEUE_FULL,
        /** It has brought none. */
        NOTHING
    }

    /** Where the next claim looks. */
    Turn turn() {
        return turn;
    }

    /** Whether its next claim is the first. */
    boolean begins() {
        return turn.key().isEmpty();
    }

    /** Whether its next claim is the first after one for which the queue had no room. */
    boolean resumes() {
        return stop == Stop.QUEUE_FULL;
    }

    /** Says which keys it asks from now on. */
    void begin(Look keys) {
        look = keys;
        took = Duration.ZERO;
    }

    Look look() {
        return look;
    }

    /** How long the statements of its claims took together. */
    Duration took() {
        return took;
    }

    /**
     * One claim has come back.
     *
     * @param claimed where it has looked
     */
    void seen(KeyedBatch batch, Turn claimed) {
        turn = batch.next() == null ? Turn.FIRST : batch.next();
        stop = batch.stop();
        found |= !batch.batch().jobs().isEmpty();
        busy |= batch.busy() > 0;
        looked |= batch.keys();
        lends &= batch.lends();
        took = took.plus(batch.batch().took());
        plainFirst |= claimed.plainFirst();
    }

    /** Jobs of the round were ended without being claimed: there may be others in their places. */
    void found() {
        found = true;
    }

    /** Whether all its claims had room, and who has found none by its own limit may borrow. */
    boolean lends() {
        return lends;
    }

    /** Whether keys stood before jobs without one in all its claims: those have had a place only where no key was looked at. */
    boolean keysFirst() {
        return looked && !plainFirst;
    }

    /** Whether it has come by keys that have jobs. */
    boolean looked() {
        return looked;
    }

    /** Whether its claims have brought nothing until now, though they had room. */
    boolean empty() {
        return !begins() && !found;
    }

    /** Whether it has come by all keys. */
    boolean over() {
        return turn.key().isEmpty();
    }

    /** After each claim. Where the round has ended, the next begins. */
    End end() {
        if (stop == Stop.QUEUE_FULL) {
            if (over()) {
                startAfresh();
            } else {
                found = true; // it was interrupted: another one finds out whether nobody wants a place
            }
            return End.QUEUE_FULL;
        }
        if (!over()) {
            return End.NOT_YET;
        }
        End end = found ? End.FOUND : busy ? End.BUSY : End.NOTHING;
        startAfresh();
        return end;
    }

    /**
     * A claim was refused its turn. Where whoever is below its limit gets jobs, the round goes on where it is. Keys borrow only behind a whole
     * round that has brought nothing, so theirs begins anew.
     */
    void outOfTurn(boolean borrows) {
        if (borrows) {
            turn = Turn.FIRST;
            startAfresh();
        }
    }

    private void startAfresh() {
        found = false;
        busy = false;
        looked = false;
        lends = true;
        plainFirst = false;
    }
}
