package dev.rowlock.queue.internal.chore;

import java.time.Duration;

/**
 * Computes how long a chore rests, so that chores that grow with the tables take a small share of the time. A rest has an end:
 * work may have taken long for once, because it waited for a lock, and what the chore does must not stop for hours because of
 * that.
 */
public final class ProportionalRest {

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private ProportionalRest() {}

    /** How long to rest: so many times as long as the work that began then has taken, but a minute at most, and no less than the interval. */
    public static Duration after(long begunNanos, int restPerWork, Duration interval) {
        return behind(Duration.ofNanos(System.nanoTime() - begunNanos), restPerWork, interval);
    }

    /** How long to rest: so many times as long as this work has taken, but a minute at most, and no less than the interval. */
    public static Duration behind(Duration work, int restPerWork, Duration interval) {
        long rest = Math.min(LONGEST.toNanos(), work.toNanos() * restPerWork);
        return Duration.ofNanos(Math.max(interval.toNanos(), rest));
    }
}
