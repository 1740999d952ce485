package dev.rowlock.queue.internal.record;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Outcomes that have come since the last write. Anybody adds, one thread takes, and sleeps while there are none. */
final class PendingOutcomes {

    /** A write with more characters of results than this gets no more outcomes: it lies in memory several times. */
    private static final long RESULTS = 4L << 20;

    private final Queue<PendingOutcome> queue = new ConcurrentLinkedQueue<>();

    private final AtomicReference<@Nullable Thread> sleeper = new AtomicReference<>();

    /** Adds one, without waking anybody. */
    void add(PendingOutcome outcome) {
        queue.add(outcome);
    }

    /** Wakes who sleeps in {@link #await}. */
    void wake() {
        Thread sleeping = sleeper.getAndSet(null);
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
    }

    /**
     * Sleeps until there are some, or somebody wakes it, or so many nanoseconds have passed. Announces that it sleeps, looks once more, sleeps:
     * an outcome that comes in between finds the announcement.
     *
     * @param awake whether it must not sleep after all
     */
    void await(long nanos, BooleanSupplier awake) {
        Thread.interrupted(); // nobody of ours interrupts this thread, and who is interrupted does not sleep
        sleeper.set(Thread.currentThread());
        if (queue.isEmpty() && !awake.getAsBoolean()) {
            LockSupport.parkNanos(this, Math.max(1, nanos));
        }
        sleeper.set(null);
    }

    /** Fills up the batch, of which these are still to be written: up to so many, fewer if their results are long. */
    void moveTo(List<PendingOutcome> batch, List<PendingOutcome> open, int most) {
        long results = open.stream().mapToLong(PendingOutcome::resultLength).sum();
        for (int i = open.size(); i < most && results < RESULTS; i++) {
            PendingOutcome next = queue.peek();
            if (next == null) {
                break;
            }
            results += next.resultLength();
            batch.add(next); // where there is no memory for that, it stays where it is
            queue.poll();
        }
    }
}
