package dev.rowlock.queue.internal.janitor;

import java.time.Duration;

/** Keeps chores that grow with the tables to a small share of the time. */
final class Rest {

    private Rest() {}

    /** How long to rest: so many times as long as the work that began then has taken, and no less than the interval. */
    static Duration after(long begunNanos, int restPerWork, Duration interval) {
        Duration rest = Duration.ofNanos(System.nanoTime() - begunNanos).multipliedBy(restPerWork);
        return rest.compareTo(interval) > 0 ? rest : interval;
    }
}
