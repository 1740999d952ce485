package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A span of time that several waits share. */
public final class TimeBudget {

    private final long end;

    public TimeBudget(Duration whole) {
        this.end = System.nanoTime() + whole.toNanos();
    }

    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    public boolean over() {
        return System.nanoTime() - end >= 0;
    }

    /** Asks again and again until this is so or the time is over. Returns whether it is so. */
    public boolean await(BooleanSupplier condition, Duration every) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (over()) {
                return false;
            }
            Signal.pause(every);
        }
        return true;
    }

    /** Waits for a thread to end, as long as there is time left. */
    public void join(Thread thread) {
        try {
            thread.join(Math.max(1, left().toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
