package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps statements that move little apart, so that they move more: each costs a commit, whatever it carries. The first
 * after a rest goes out at once, so an idle system loses no time; under a trickle of small transactions two hundred
 * claims and writes per second do what two thousand would. One thread at a time.
 */
public final class MinimumInterval {

    private final long nanos;
    private long lastBegun;

    public MinimumInterval(Duration apart) {
        this.nanos = apart.toNanos();
        this.lastBegun = System.nanoTime() - nanos;
    }

    /** Waits until enough time has passed since the last statement began. Ends early if interrupted. */
    public void await() {
        long left = lastBegun + nanos - System.nanoTime();
        if (left > 0) {
            LockSupport.parkNanos(this, left);
        }
    }

    /** A statement begins. */
    public void begun() {
        lastBegun = System.nanoTime();
    }
}
