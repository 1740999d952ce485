package dev.rowlock.queue.internal.due;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When this node looks for due jobs. What only this node knows of, it looks for as soon as it is due. For what all nodes
 * know of they look {@link #APART} after each other: the first one usually takes it, and tells the others, who need not
 * look then. Besides, each looks from time to time. Times are monotonic, in nanoseconds. Thread-safe.
 */
final class DueTimes {

    /** Longer than it takes to move what is due and to tell so. */
    static final Duration APART = Duration.ofMillis(10);

    private static final long NEVER = Duration.ofDays(365).toNanos(); // from now

    private long known; // guarded by this, as all below; due, and known here only
    private long shared; // due, and known to all nodes
    private long poll;

    /** At first it looks at once. */
    DueTimes(long now) {
        this.known = now + NEVER;
        this.shared = now + NEVER;
        this.poll = now;
    }

    /** A job was enqueued by this process, which runs this node. */
    synchronized void dueHere(long at) {
        known = earlier(known, at);
    }

    /** All nodes have heard of a job. */
    synchronized void dueForAll(long at) {
        shared = earlier(shared, at);
    }

    /** Another node has moved all that was due, and told all which time is the next one; null: none. */
    synchronized void movedElsewhere(long now, @Nullable Duration next) {
        if (shared - now <= 0) {
            shared = now + NEVER;
        }
        if (next != null) {
            shared = earlier(shared, now + next.toNanos());
        }
    }

    /**
     * This node begins to look. What it hears of from now on is not what it looks for. Returns whether it looks for something
     * that all nodes know of.
     */
    synchronized boolean looking(long now) {
        if (known - now <= 0) {
            known = now + NEVER;
        }
        boolean forAll = shared - now <= 0;
        shared = now + NEVER;
        return forAll;
    }

    /**
     * This node has looked.
     *
     * @param next when the next one is due; null: none
     * @param rest until it looks again though nothing is due
     */
    synchronized void looked(long now, @Nullable Duration next, Duration rest) {
        // What has been heard of meanwhile, this node looks for: the others will be told that it has looked.
        known = earlier(known, shared);
        shared = now + NEVER;
        if (next != null) {
            shared = earlier(shared, now + next.toNanos());
        }
        poll = now + rest.toNanos();
    }

    /**
     * How long until this node must look; zero or less: now.
     *
     * @param number its number among all nodes, from 0
     */
    synchronized Duration left(long now, int number) {
        long next = earlier(earlier(known, shared + number * APART.toNanos()), poll);
        return Duration.ofNanos(next - now);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
