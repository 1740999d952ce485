package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Waits that double from try to try, up to a longest, and vary by half, so that those who failed together part. One thread. */
final class Backoff {

    private final long shortest;
    private final long longest;
    private long next;

    Backoff(Duration shortest, Duration longest) {
        this.shortest = shortest.toNanos();
        this.longest = longest.toNanos();
        this.next = this.shortest;
    }

    /** How long to wait after one more failure. */
    Duration next() {
        long wait = next;
        next = Math.min(2 * wait, longest);
        return Duration.ofNanos(wait / 2 + ThreadLocalRandom.current().nextLong(wait));
    }

    /** It worked: the next failure is a first one. */
    void reset() {
        next = shortest;
    }
}
