package dev.rowlock.queue.internal.worker;

import java.time.Duration;

/** A span of time that several waits share. */
final class Patience {

    private final long end;

    Patience(Duration whole) {
        this.end = System.nanoTime() + whole.toNanos();
    }

    Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    boolean over() {
        return System.nanoTime() - end >= 0;
    }

    /** Waits for a thread to end, as long as there is patience left. */
    void join(Thread thread) {
        try {
            thread.join(Math.max(1, left().toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
