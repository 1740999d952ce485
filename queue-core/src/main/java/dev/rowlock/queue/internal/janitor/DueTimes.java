package dev.rowlock.queue.internal.janitor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when this node looks for due jobs. What only this node knows of, it looks for as soon as it is due. For what all nodes
 * know of they look {@link #APART} after each other: the first one usually takes it, and tells the others, who need not
 * look for what it had heard of before. Besides, each looks from time to time. Times are monotonic, in nanoseconds. Thread-safe.
 */
final class DueTimes {

    /** Longer than it takes to move what is due and to tell so. */
    static final Duration APART = Duration.ofMillis(10);

    private static final long NEVER = Duration.ofDays(365).toNanos(); // from now

    /**
     * A look of this node.
     *
     * @param forAll whether it looks for something that all nodes know of
     * @param message the last message that was heard before; null: none
     * @param position how much had been heard before
     */
    record Look(boolean forAll, @Nullable String message, long position) {}

    private final AnnouncedTimes shared = new AnnouncedTimes(); // guarded by this, as all below
    private long known; // due, and known here only
    private long poll;

    /** At first it looks at once. */
    DueTimes(long now) {
        this.known = now + NEVER;
        this.poll = now;
    }

    /** A job was enqueued by this process, which runs this node. */
    synchronized void dueHere(long at) {
        known = earlier(known, at);
    }

    /** All nodes have heard of a job. */
    synchronized void dueForAll(long at) {
        shared.heard(at);
    }

    /** All that was heard until now came by this message, or by those before it. */
    synchronized void heard(String message) {
        shared.named(message);
    }

    /**
     * Another node has moved all that was due, and told all which time is the next one.
     *
     * @param next null: none
     * @param message the last one that it had heard before it looked: of what came later it may have seen nothing. Null: nobody knows
     */
    synchronized void movedElsewhere(long now, @Nullable Duration next, @Nullable String message) {
        long position = shared.positionOf(message);
        shared.removeDue(position, now);
        if (next != null) {
            shared.add(position, now + next.toNanos());
        }
    }

    /** This node begins to look. What it hears of from now on is not what it looks for. */
    synchronized Look looking(long now) {
        if (known - now <= 0) {
            known = now + NEVER;
        }
        boolean forAll = shared.first(now + NEVER) - now <= 0;
        shared.clear();
        return new Look(forAll, shared.message(), shared.position());
    }

    /**
     * This node has looked.
     *
     * @param next when the next one is due; null: none
     * @param rest until it looks again though nothing is due
     */
    synchronized void looked(Look look, long now, @Nullable Duration next, Duration rest) {
        if (next != null) {
            shared.add(look.position(), now + next.toNanos());
        }
        poll = now + rest.toNanos();
    }

    /**
     * How long until this node must look; zero or less: now.
     *
     * @param number its number among all nodes, from 0
     */
    synchronized Duration left(long now, int number) {
        long all = shared.first(now + NEVER) + number * APART.toNanos();
        long next = earlier(earlier(known, all), poll);
        return Duration.ofNanos(next - now);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }
}
