package dev.rowlock.queue.internal.chore;

import java.time.Duration;

/** Keeps chores that grow with the tables to a small share of the time. */
public final class ProportionalRest {

    private ProportionalRest() {}

    /** How long to rest: so many times as long as the work that began then has taken, and no less than the interval. */
    public static Duration after(long begunNanos, int restPerWork, Duration interval) {
        return behind(Duration.ofNanos(System.nanoTime() - begunNanos), restPerWork, interval);
    }

    /** How long to rest: so many times as long as this work has taken, and no less than the interval. */
    public static Duration behind(Duration work, int restPerWork, Duration interval) {
        Duration rest = work.multipliedBy(restPerWork);
        return rest.compareTo(interval) > 0 ? rest : interval;
    }
}
