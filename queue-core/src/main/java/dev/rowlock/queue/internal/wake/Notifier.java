package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other nodes by NOTIFY, from a thread of its own. The first wake-up goes out at once; those that come while
 * it is sent, or within {@link #PAUSE} after it, go out together. Holds at most one entry per queue. Where sending has failed,
 * ready jobs and changes are sent again with what has come since: others would find them only when they look by themselves.
 *
 * <p>While jobs come one by one, a statement that is its own transaction may send its message along, which spares a
 * transaction and half a millisecond. That must stay rare: NOTIFY takes a lock of the whole database cluster, which is then held
 * while the commit is flushed. After each such statement there is none for {@link #REST_PER_ALONG} times as long as it took,
 * or the one before if that was quicker: the more of them wait for each other, the fewer there are, but one that a disk held
 * up by chance does not count.
 */
public final class Notifier implements Wakeups, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Notifier.class);

    /** At most one round of notifications per this time. */
    static final Duration PAUSE = Duration.ofMillis(5);

    private static final int REST_PER_ALONG = 10;

    /** A statement that sends along and is not heard of again has failed. */
    private static final Duration ALONG_AT_MOST = Duration.ofSeconds(1);

    /** While the database is away, try this often; what gathers meanwhile stays small. */
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

    private final String origin = WakeupMessage.newOrigin();
    private final SendWakeup send;
    private final EndlessTask sending = new EndlessTask("rowlock-notifier", this::run);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Wakes wakes = new Wakes(); // guarded by lock; what is sent again if that has failed
    private @Nullable Duration waiting; // guarded by lock
    private boolean moved; // guarded by lock; all that was due
    private @Nullable Duration nextDue; // guarded by lock; of what waits after that
    private long look; // guarded by lock; that has found so
    private boolean closed; // guarded by lock
    private int firstToLook = ThreadLocalRandom.current().nextInt(); // guarded by lock
    private long alongAt = System.nanoTime(); // guarded by lock
    private Duration lastAlong = Duration.ZERO; // guarded by lock
    private @Nullable Thread thread; // guarded by lock; started with the first wake-up

    public Notifier(SendWakeup send) {
        this.send = send;
    }

    /** What its messages begin with. */
    String origin() {
        return origin;
    }

    @Override
    public void jobsReady(String queue, int rank, long jobs) {
        change(() -> wakes.ready(queue, rank, jobs, false));
    }

    @Override
    public void jobsBack(String queue, int rank, long jobs) {
        change(() -> wakes.ready(queue, rank, jobs, true));
    }

    @Override
    public @Nullable String sendAlong(String queue, int rank) {
        lock.lock();
        try {
            long now = System.nanoTime();
            if (closed || now - alongAt < 0) {
                return null;
            }
            alongAt = now + ALONG_AT_MOST.toNanos();
            return WakeupMessage.ready(origin, queue, rank, 1, firstToLook++);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sentAlong(String queue, int rank, Duration took) {
        lock.lock();
        try {
            Duration usual = took.compareTo(lastAlong) < 0 ? took : lastAlong;
            alongAt = System.nanoTime() + usual.multipliedBy(REST_PER_ALONG).toNanos();
            lastAlong = took;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void jobsWaiting(Duration dueIn) {
        change(() -> waiting = waiting == null || dueIn.compareTo(waiting) < 0 ? dueIn : waiting);
    }

    @Override
    public void dueJobsMoved(@Nullable Duration next, long byLook) {
        change(() -> {
            moved = true;
            nextDue = next;
            look = byLook;
        });
    }

    @Override
    public void keysReady(String queue, @Nullable String key) {
        change(() -> wakes.keys(queue, key));
    }

    @Override
    public void attention() {
        change(() -> wakes.attention());
    }

    private void change(Runnable note) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            note.run();
            changed.signal();
            if (thread == null) {
                Thread fresh = sending.thread();
                fresh.start();
                thread = fresh; // not before: without memory for a thread, the next wake-up tries again
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        boolean failing = false;
        Round round = null;
        while (true) {
            try {
                round = next(round);
                if (round == null) {
                    return;
                }
                send.run(round.messages);
                round = null;
                failing = false;
                TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
            } catch (InterruptedException e) {
                if (isClosed()) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                boolean first = !failing;
                failing = true;
                if (first) {
                    log.warn(
                            "sending notifications failed; will retry each {}, meanwhile other nodes find jobs by polling",
                            DurationText.of(PAUSE_AFTER_FAILURE),
                            e);
                }
                if (!pauseAfterFailure() && isClosed()) {
                    return;
                }
            }
        }
    }

    /**
     * What is sent at once.
     *
     * @param again what of it is sent again, if that fails
     */
    private record Round(List<String> messages, Wakes again) {}

    /**
     * Waits for something to send. Null: closed.
     *
     * @param failed what could not be sent
     */
    private @Nullable Round next(@Nullable Round failed) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (failed != null) {
                wakes.addAll(failed.again);
            }
            while (!closed && nothingToSay()) {
                changed.await();
            }
            if (nothingToSay()) {
                return null;
            }
            List<String> messages = new ArrayList<>();
            if (wakes.needsAttention()) {
                messages.add(WakeupMessage.attention(origin));
            }
            if (moved) {
                messages.add(WakeupMessage.moved(origin, look, nextDue));
            }
            if (waiting != null) {
                messages.add(WakeupMessage.waiting(origin, waiting));
            }
            wakes.eachKey((queue, key) -> messages.add(WakeupMessage.keys(origin, queue, key, firstToLook++)));
            wakes.eachQueue((queue, ready) -> messages.add(ready.message(origin, queue, firstToLook++)));
            Round round = new Round(messages, wakes);
            wakes = new Wakes();
            moved = false;
            nextDue = null;
            waiting = null;
            return round;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean nothingToSay() {
        return wakes.isEmpty() && waiting == null && !moved;
    }

    private static boolean pauseAfterFailure() {
        try {
            TimeUnit.NANOSECONDS.sleep(PAUSE_AFTER_FAILURE.toNanos());
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Sends what is left and ends. Waits two seconds at most. */
    @Override
    public void close() {
        Thread running;
        sending.end();
        lock.lock();
        try {
            closed = true;
            changed.signal();
            running = thread;
        } finally {
            lock.unlock();
        }
        if (running != null) {
            try {
                running.join(2_000);
                running.interrupt();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
