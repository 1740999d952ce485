package dev.rowlock.queue.test.postgres;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The databases of this JVM that are in use. When the JVM ends, Spring closes its application contexts in one shutdown
 * hook while a server's hook runs beside it, in no order. The server waits here, so that contexts can still say goodbye
 * to their database.
 */
final class OpenDatabases {

    private final Set<String> names = new TreeSet<>();

    synchronized void add(String name) {
        names.add(name);
    }

    synchronized void remove(String name) {
        names.remove(name);
        notifyAll();
    }

    /** Waits until all are closed, or until the time is up. Returns those that are still open. */
    synchronized Set<String> awaitNone(Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        long left = limit.toNanos();
        while (!names.isEmpty() && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
        return Set.copyOf(names);
    }
}
