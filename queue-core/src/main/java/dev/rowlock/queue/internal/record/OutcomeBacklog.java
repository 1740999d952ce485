package dev.rowlock.queue.internal.record;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a recorder has still to write, and whether it gets on with that. Anybody adds; the recorder's thread takes, and sleeps while there is nothing.
 * Thread-safe.
 */
final class OutcomeBacklog {

    /** With more outcomes than this unwritten, nothing more is claimed. */
    static final int MANY = 5_000;

    /** Nor if their results have more characters than this. */
    static final long MANY_RESULTS = Math.min(16L << 20, Runtime.getRuntime().maxMemory() / 16);

    /**
     * Without a sign of life for so long, while there are outcomes to write, the recorder is stuck: in a driver that does not
     * return, say. A database that is away, however slowly each of the statements of one write finds out, takes less.
     */
    private static final Duration STUCK = Duration.ofMinutes(5);

    /** While outcomes are tried in vain for longer, nothing more is claimed: what ends would pile up, and run again if the node dies. */
    private static final Duration IN_VAIN = Duration.ofSeconds(5);

    /** A write with more characters of results than this gets no more outcomes: it lies in memory several times. */
    private static final long RESULTS_OF_A_WRITE = 4L << 20;

    private final Queue<PendingOutcome> queue = new ConcurrentLinkedQueue<>(); // what has come since the last write
    private final AtomicReference<@Nullable Thread> sleeper = new AtomicReference<>();
    // Written by the recorder's thread.
    private volatile long inVainSince; // monotonic; 0: nothing is being written
    private volatile int apart; // of the outcomes
    private volatile long apartResults; // of the characters
    private final AtomicInteger outcomes = new AtomicInteger();
    private final AtomicLong results = new AtomicLong(); // characters
    private volatile long signOfLife = System.nanoTime(); // monotonic

    int outcomes() {
        return Math.max(0, outcomes.get()); // one may be written before it is counted
    }

    /** One more to be written. */
    void add(PendingOutcome entry) {
        queue.add(entry); // first: where there is no memory for that, nothing is to be written
        if (outcomes.incrementAndGet() == 1) {
            getsOn(); // there has just been nothing to do
        }
        if (entry.resultLength() > 0) {
            results.addAndGet(entry.resultLength());
        }
        wake();
    }

    /** Wakes who sleeps in {@link #await}. */
    void wake() {
        Thread sleeping = sleeper.getAndSet(null);
        if (sleeping != null) {
            LockSupport.unpark(sleeping);
        }
    }

    /**
     * Sleeps until some have come, or somebody wakes it, or so many nanoseconds have passed. Announces that it sleeps, looks once more, sleeps:
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

    /** Fills up the batch with what has come, of which these are still to be written: up to so many, fewer if their results are long. */
    void moveTo(List<PendingOutcome> batch, List<PendingOutcome> open, int most) {
        long length = open.stream().mapToLong(PendingOutcome::resultLength).sum();
        for (int i = open.size(); i < most && length < RESULTS_OF_A_WRITE; i++) {
            PendingOutcome next = queue.peek();
            if (next == null) {
                break;
            }
            length += next.resultLength();
            batch.add(next); // where there is no memory for that, it stays where it is
            queue.poll();
        }
    }

    void remove(int result) {
        outcomes.decrementAndGet();
        if (result > 0) {
            results.addAndGet(-result);
        }
    }

    /** A result of so many characters will not be written. */
    void removeResult(int result) {
        results.addAndGet(-result);
    }

    /** So many of the outcomes, with results of so many characters, wait apart and are tried again from time to time. */
    void apart(int outcomes, long results) {
        apart = outcomes;
        apartResults = results;
    }

    /** A write begins. */
    void begins() {
        inVainSince = System.nanoTime() | 1;
    }

    /** It is over. */
    void ends() {
        inVainSince = 0;
    }

    /** A part of it was tried, which is a sign of life; whether some of that could be written. */
    void tried(boolean some) {
        getsOn();
        if (some && inVainSince != 0) {
            begins();
        }
    }

    /** How long nothing has been written of what is to be written; zero: there is nothing. What waits apart does not count. */
    Duration inVain(long now) {
        long since = inVainSince;
        return since == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, now - since));
    }

    /** Whether more outcomes would only pile up. */
    boolean behind(long now) {
        return many() || stuck(now) || inVain(now).compareTo(IN_VAIN) > 0;
    }

    /** What waits apart must not stop the node: as much of it as that does not count. */
    boolean many() {
        return outcomes.get() - Math.min(apart, MANY) > MANY || manyResults();
    }

    boolean manyResults() {
        return results.get() - Math.min(apartResults, MANY_RESULTS) > MANY_RESULTS;
    }

    /** A sign of life of the recorder. */
    void getsOn() {
        signOfLife = System.nanoTime();
    }

    /** Whether there is something to write, and nobody has got on with it for long. */
    boolean stuck(long now) {
        return outcomes.get() > 0 && now - signOfLife > STUCK.toNanos();
    }
}
