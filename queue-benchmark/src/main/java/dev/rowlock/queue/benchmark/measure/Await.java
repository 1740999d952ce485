package dev.rowlock.queue.benchmark.measure;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what is bound to happen, looking now and then, and gives up in the end. */
public final class Await {

    private Await() {}

    /** Looks each {@code interval} until it is so. Throws an {@link IllegalStateException} after {@code longest}. */
    public static void until(String what, BooleanSupplier condition, Duration interval, Duration longest) {
        if (!atMost(condition, interval, longest)) {
            throw new IllegalStateException("%s: not within %s".formatted(what, longest));
        }
    }

    /** Looks each {@code interval} until it is so, which is true, or {@code longest} is over, which is false. */
    public static boolean atMost(BooleanSupplier condition, Duration interval, Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            LockSupport.parkNanos(interval.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted");
            }
        }
        return true;
    }

    /** Waits until {@link System#nanoTime} says so. */
    public static void nanoTime(long time) {
        long rest = time - System.nanoTime();
        while (rest > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(rest);
            rest = time - System.nanoTime();
        }
    }
}
