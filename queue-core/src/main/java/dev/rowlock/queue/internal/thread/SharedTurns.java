package dev.rowlock.queue.internal.thread;

import java.time.Duration;

/**
 * Keeps apart turns that many ask for. Whoever asks after a rest has one at once; all who ask within the interval behind it share
 * the next one. So each has a turn that begins after it has asked, and within the interval. Thread-safe.
 */
public final class SharedTurns {

    private final long nanos;
    private long next; // guarded by this; monotonic; when the next turn may begin, or will
    private boolean asked; // guarded by this; somebody waits for that one

    public SharedTurns(Duration apart) {
        this(apart, System.nanoTime());
    }

    SharedTurns(Duration apart, long now) {
        this.nanos = apart.toNanos();
        this.next = now;
    }

    /** Returns how long until the turn of whoever asks now. */
    public Duration ask() {
        return ask(System.nanoTime());
    }

    synchronized Duration ask(long now) {
        if (asked && next - now <= 0) {
            next += nanos;
            asked = false;
        }
        if (next - now <= 0) {
            next = now + nanos;
            return Duration.ZERO;
        }
        asked = true;
        return Duration.ofNanos(next - now);
    }
}
