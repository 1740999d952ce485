package dev.rowlock.queue.dashboard.web;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** What goes wrong with each request is told once a minute: a trace for each would fill the log, by whoever sends them. Thread-safe. */
final class OnceAMinute {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final AtomicLong toldNanos = new AtomicLong(System.nanoTime() - MINUTE);

    boolean due() {
        long last = toldNanos.get();
        long now = System.nanoTime();
        return now - last >= MINUTE && toldNanos.compareAndSet(last, now);
    }
}
