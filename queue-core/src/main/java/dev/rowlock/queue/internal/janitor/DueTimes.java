package dev.rowlock.queue.internal.janitor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when this node looks for due jobs. For what all nodes know of they look {@link #APART} after each other: the first one
 * usually takes it, and tells the others, who need not look. What only this node knows of, it looks for as soon as it is due; and so
 * it does for what it hears of between a look and the moment in which all have heard of that look, because others then believe that
 * it has seen that, too. Besides, each looks from time to time. Times are monotonic, in nanoseconds. Thread-safe.
 */
final class DueTimes {

    /** Longer than it takes to move what is due and to tell so. */
    static final Duration APART = Duration.ofMillis(10);

    private static final long NEVER = Duration.ofDays(365).toNanos(); // from now

    /**
     * A look of this node.
     *
     * @param number by which this node knows the message that tells of it
     * @param forAll whether it looks for something that all nodes know of
     */
    record Look(long number, boolean forAll) {}

    private long own; // due, and nobody else can be relied on; guarded by this, as all below
    private long all; // due, and known to all nodes
    private long poll;
    private long looks; // begun
    private boolean looking;
    private long told; // the last look of which others hear
    private long heard; // the last of them that they have heard of by now

    /** At first it looks at once. */
    DueTimes(long now) {
        this.own = now + NEVER;
        this.all = now + NEVER;
        this.poll = now;
    }

    /** A job was enqueued by this process, which runs this node. */
    synchronized void dueHere(long at) {
        own = earlier(own, at);
    }

    /** All nodes have heard of a job. */
    synchronized void dueForAll(long at) {
        if (looking || untold()) {
            own = earlier(own, at); // when they hear of our look, they forget it, and we may not have seen it
        } else {
            all = earlier(all, at);
        }
    }

    private boolean untold() {
        return told > heard;
    }

    /** Another node has moved all that was due, and told all which time is the next one, null: none. */
    synchronized void movedElsewhere(long now, @Nullable Duration next) {
        if (all - now <= 0) {
            all = now + NEVER;
        }
        if (next != null) {
            all = earlier(all, now + next.toNanos());
        }
    }

    /** All nodes have heard of this look of this one, and of those before it. */
    synchronized void allHaveHeardOf(long look) {
        heard = Math.max(heard, look);
    }

    /** This node begins to look. What it hears of from now on is not what it looks for. */
    synchronized Look looking(long now) {
        boolean forAll = all - now <= 0;
        if (own - now <= 0) {
            own = now + NEVER;
        }
        all = now + NEVER;
        looking = true;
        return new Look(++looks, forAll);
    }

    /**
     * This node has looked.
     *
     * @param next when the next one is due; null: none
     * @param rest until it looks again though nothing is due
     * @param tells whether the others will hear of it
     */
    synchronized void looked(Look look, long now, @Nullable Duration next, Duration rest, boolean tells) {
        looking = false;
        if (next != null) {
            dueForAll(now + next.toNanos());
        }
        poll = now + rest.toNanos();
        told = tells ? look.number() : told;
    }

    /** The look has failed: what it was for is still to be looked for. */
    synchronized void failed(long begun) {
        looking = false;
        own = earlier(own, begun);
    }

    /**
     * How long until this node must look; zero or less: now.
     *
     * @param number its number among all nodes, from 0
     */
    synchronized Duration left(long now, int number) {
        long inTurn = all + number * APART.toNanos();
        return Duration.ofNanos(earlier(earlier(own, inTurn), poll) - now);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
