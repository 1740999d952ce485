package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Back-off: waits double from try to try, up to a longest, and vary by half, so that tasks that failed together retry apart. One thread. */
public final class Backoff {

    private final long shortest;
    private final long longest;
    private long next;

    public Backoff(Duration shortest, Duration longest) {
        this.shortest = shortest.toNanos();
        this.longest = longest.toNanos();
        this.next = this.shortest;
    }

    /** How long to wait after one more failure. */
    public Duration next() {
        long wait = next;
        next = Math.min(2 * wait, longest);
        return Duration.ofNanos(wait / 2 + ThreadLocalRandom.current().nextLong(wait));
    }

    /** It worked: the next failure is a first one. */
    public void reset() {
        next = shortest;
    }
}
