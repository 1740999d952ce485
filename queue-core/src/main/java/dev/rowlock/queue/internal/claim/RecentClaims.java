package dev.rowlock.queue.internal.claim;

import java.time.Duration;

/** What the last claims of a queue say about the next one. Used by one thread at a time. */
final class RecentClaims {

    /** A queue whose claims take longer is not polled together with others. */
    static final Duration QUICK = Duration.ofMillis(20);

    private boolean full;
    private boolean quick;
    private int empty;
    private long broughtAt = System.nanoTime();

    /** The server has answered a claim, also if it was not in turn. */
    void answered(Duration took) {
        quick = took.compareTo(QUICK) <= 0;
    }

    /** @param full whether there were as many jobs as the claim asked for */
    void brought(int jobs, boolean full, long ended) {
        this.full = full;
        empty = jobs == 0 ? empty + 1 : 0;
        broughtAt = jobs == 0 ? broughtAt : ended;
    }

    void failed() {
        quick = false;
        full = false;
    }

    /** Whether the last one brought all that it asked for. */
    boolean full() {
        return full;
    }

    boolean quick() {
        return quick;
    }

    /** How many in a row have found nothing. */
    int empty() {
        return empty;
    }

    boolean anyEmpty() {
        return empty > 0;
    }

    /** Whether the last one that found jobs ended so long ago. */
    boolean nothingFor(Duration time) {
        return System.nanoTime() - broughtAt >= time.toNanos();
    }
}
