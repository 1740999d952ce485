package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Something that one thread waits for and others raise. Raised while nobody waits, it is kept: no wake-up is lost. */
final class Signal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean raised;

    void raise() {
        lock.lock();
        try {
            raised = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is raised or the time is over, and lowers it again. */
    void await(Duration longest) throws InterruptedException {
        long nanos = longest.toNanos();
        lock.lockInterruptibly();
        try {
            while (!raised && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            raised = false;
        } finally {
            lock.unlock();
        }
    }

    static Duration jittered(Duration plain) {
        long millis = plain.toMillis();
        long spread = Math.max(1, millis / 5);
        return Duration.ofNanos(TimeUnit.MILLISECONDS.toNanos(millis)
                + java.util.concurrent.ThreadLocalRandom.current().nextLong(-spread, spread + 1) * 1_000_000);
    }
}
