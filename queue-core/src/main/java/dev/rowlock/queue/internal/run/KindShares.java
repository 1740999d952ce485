package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import java.util.function.LongSupplier;

/**
 * Shares the threads of a queue, or the places of its limit, between jobs with keys and jobs without: while both kinds have a backlog, each gets half of the
 * time of all. What is free goes to the kind that has less.
 *
 * <p>That alone is not half: with one thread, or where a thread finds only jobs of one kind because those of the other are being
 * claimed, the longer jobs would win. So the time that one kind is ahead is made up for: it has less than the other until both
 * are even. It keeps a quarter, if there are four.
 *
 * <p>Not thread-safe.
 */
final class KindShares {

    /** Of threads: a kind that is so far ahead has one less than half. */
    private static final long ONE_THREAD_LESS = 1_000_000_000;

    /** The same of places, which one claim fills with one kind: with keys that share them evenly, it may leave some. */
    private static final long ONE_PLACE_LESS = 10_000_000;

    /** No kind is owed more than this by each. */
    private static final double MOST_OWED = 60e9;

    /** A kind that had no backlog for so long is owed nothing. */
    private static final long FORGOTTEN = 1_000_000_000;

    private final int all;
    private final double oneLess;
    private final LongSupplier nanos;
    private int plain; // what such jobs have now
    private int keyed;
    private boolean both; // have a backlog
    private long since; // both had one, until then they are even
    private double ahead; // how much more time those with keys have had, in nanoseconds of each
    private long endedAt; // when one of them had no backlog any more

    private KindShares(int all, double oneLess, LongSupplier nanos) {
        this.all = all;
        this.oneLess = oneLess;
        this.nanos = nanos;
        this.endedAt = nanos.getAsLong() - FORGOTTEN;
    }

    /**
     * Of so many threads.
     *
     * @param nanos monotonic
     */
    static KindShares ofThreads(int threads, LongSupplier nanos) {
        return new KindShares(threads, ONE_THREAD_LESS, nanos);
    }

    /**
     * Of the places of a limit, as seen by a node with so many threads.
     *
     * @param nanos monotonic
     */
    static KindShares ofPlaces(int threads, LongSupplier nanos) {
        return new KindShares(threads, ONE_PLACE_LESS, nanos);
    }

    /** Says whether both kinds have a backlog. */
    void contended(boolean is) {
        if (is == both) {
            return;
        }
        long now = nanos.getAsLong();
        if (both) {
            settle(now);
            endedAt = now;
        } else if (now - endedAt >= FORGOTTEN) {
            ahead = 0;
        }
        since = now;
        both = is;
    }

    boolean contended() {
        return both;
    }

    void begin(Kind kind) {
        change(kind, 1);
    }

    void end(Kind kind) {
        change(kind, -1);
    }

    private void change(Kind kind, int by) {
        if (both) {
            settle(nanos.getAsLong());
        }
        if (kind == Kind.PLAIN) {
            plain += by;
        } else {
            keyed += by;
        }
    }

    private void settle(long now) {
        double most = MOST_OWED * all;
        ahead = Math.max(-most, Math.min(most, ahead + (double) (keyed - plain) * (now - since)));
        since = now;
    }

    /** How many a kind is to have while the other one has a backlog too. */
    double share(Kind kind) {
        double half = all / 2.0;
        double most = Math.min(half, Math.max(1, half / 2));
        double less = Math.max(-most, Math.min(most, owed() / oneLess));
        return kind == Kind.KEYED ? half - less : half + less;
    }

    private double owed() {
        return both || nanos.getAsLong() - endedAt < FORGOTTEN ? ahead : 0;
    }

    /** The kind that has less than its share. */
    Kind behind() {
        return share(Kind.KEYED) - keyed >= share(Kind.PLAIN) - plain ? Kind.KEYED : Kind.PLAIN;
    }
}
