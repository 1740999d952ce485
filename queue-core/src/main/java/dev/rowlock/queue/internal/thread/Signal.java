package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Something that one thread waits for and others raise, now or for some time later. Raised while nobody waits, it is kept:
 * no wake-up is lost.
 */
public final class Signal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean raised; // guarded by lock
    private boolean planned; // guarded by lock
    private long plannedAt; // guarded by lock; monotonic
    private long end; // guarded by lock; monotonic; of the last wait

    public void raise() {
        lock.lock();
        try {
            raised = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Raises it after this time. Nothing changes if it is raised already, or will be. */
    public void raiseIn(Duration time) {
        lock.lock();
        try {
            if (!raised && !planned) {
                planned = true;
                plannedAt = System.nanoTime() + time.toNanos();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whoever waits does so from now on, for about this long at the longest: what was planned was for what has been done. To
     * shorten a wait by less than half, nobody is woken.
     */
    public void restart(Duration longest) {
        lock.lock();
        try {
            long now = System.nanoTime();
            boolean muchShorter = longest.toNanos() < (end - now) / 2;
            end = now + longest.toNanos();
            planned = false;
            if (muchShorter) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is raised or the time is over, and lowers it again, also what was planned. */
    public void await(Duration longest) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            end = System.nanoTime() + longest.toNanos();
            long left = left();
            while (!raised && left > 0) {
                changed.awaitNanos(left);
                left = left();
            }
            raised = false;
            planned = false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for this long, whatever happens, unless the thread is interrupted. */
    public static void pause(Duration time) throws InterruptedException {
        new Signal().await(time);
    }

    private long left() {
        long now = System.nanoTime();
        return planned ? Math.min(end - now, plannedAt - now) : end - now;
    }

    public static Duration jittered(Duration plain) {
        long millis = plain.toMillis();
        long spread = Math.max(1, millis / 5);
        return Duration.ofNanos(TimeUnit.MILLISECONDS.toNanos(millis)
                + java.util.concurrent.ThreadLocalRandom.current().nextLong(-spread, spread + 1) * 1_000_000);
    }
}
