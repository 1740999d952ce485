package dev.rowlock.queue.internal.thread;

import java.time.Duration;

/**
 * Coalesces requests for a turn. A request after a rest gets one at once; all requests within the interval after it share the
 * next one. So each request gets a turn that begins after it, and within the interval. Thread-safe.
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
