package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Something that one thread waits for and others raise, now or for some time later. Raised while nobody waits, it is kept:
 * no wake-up is lost.
 *
 * <p>The one that waits may {@link #leave}, and is called back by whatever happens next ({@link #calls}).
 */
public final class Signal {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean raised; // guarded by lock
    private boolean planned; // guarded by lock
    private long plannedAt; // guarded by lock; monotonic
    private @Nullable Runnable absentee; // guarded by lock; whom to call; null: somebody waits, or will

    public void raise() {
        Runnable call;
        lock.lock();
        try {
            raised = true;
            changed.signalAll();
            call = takeAbsentee();
        } finally {
            lock.unlock();
        }
        run(call);
    }

    /**
     * Nobody waits until this is called, once, on the thread that raises or plans. It must not throw; if it does not
     * bring somebody who waits, it says so by this method.
     */
    public void calls(Runnable start) {
        lock.lock();
        try {
            absentee = start;
        } finally {
            lock.unlock();
        }
    }

    /** Whoever waited goes, to be brought back by this, unless something has happened since the wait. Returns whether it goes. */
    public boolean leave(Runnable start) {
        lock.lock();
        try {
            boolean goes = !raised && !planned;
            if (goes) {
                absentee = start;
            }
            return goes;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nobody waits, or will before something happens. */
    public boolean abandoned() {
        lock.lock();
        try {
            return absentee != null;
        } finally {
            lock.unlock();
        }
    }

    /** Calls once more if something has happened and yet nobody has come. */
    public void callAgain() {
        Runnable call;
        lock.lock();
        try {
            call = raised || planned ? takeAbsentee() : null;
        } finally {
            lock.unlock();
        }
        run(call);
    }

    private @Nullable Runnable takeAbsentee() {
        Runnable call = absentee;
        absentee = null;
        return call;
    }

    private static void run(@Nullable Runnable call) {
        if (call != null) {
            call.run();
        }
    }

    /** Raises it after this time. Nothing changes if it is raised already, or will be. */
    public void raiseIn(Duration time) {
        Runnable call;
        lock.lock();
        try {
            if (!raised && !planned) {
                planned = true;
                plannedAt = System.nanoTime() + time.toNanos();
                changed.signalAll();
            }
            call = takeAbsentee();
        } finally {
            lock.unlock();
        }
        run(call);
    }

    /** Waits until it is raised or the time is over, and lowers it again, also what was planned. */
    public void await(Duration longest) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitEnd(System.nanoTime() + longest.toNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Waits for what the caller was called for, as if it had waited all the time: it may be for some time later. */
    public void await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            awaitEnd(planned ? plannedAt : System.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    private void awaitEnd(long end) throws InterruptedException {
        long left = left(end);
        while (!raised && left > 0) {
            changed.awaitNanos(left);
            left = left(end);
        }
        raised = false;
        planned = false;
    }

    /** Waits for this long, whatever happens, unless the thread is interrupted. */
    public static void pause(Duration time) throws InterruptedException {
        new Signal().await(time);
    }

    private long left(long end) {
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
