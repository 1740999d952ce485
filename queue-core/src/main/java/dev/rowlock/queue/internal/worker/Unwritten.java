package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** How much a recorder has still to write, and whether it gets on with that. Thread-safe. */
final class Unwritten {

    /** With more outcomes than this unwritten, nothing more is claimed. */
    static final int MANY = 5_000;

    /** Nor if their results have more characters than this. */
    static final long MANY_RESULTS = Math.min(16L << 20, Runtime.getRuntime().maxMemory() / 16);

    /**
     * Without a sign of life for so long, while there are outcomes to write, the recorder is stuck: in a driver that does not
     * return, say. A database that is away, however slowly each of the statements of one write finds out, takes less.
     */
    private static final Duration STUCK = Duration.ofMinutes(5);

    private final AtomicInteger outcomes = new AtomicInteger();
    private final AtomicLong results = new AtomicLong(); // characters
    private volatile long signOfLife = System.nanoTime(); // monotonic

    int outcomes() {
        return outcomes.get();
    }

    /** One more, with a result of so many characters. */
    void add(int result) {
        if (outcomes.incrementAndGet() == 1) {
            getsOn(); // there has just been nothing to do
        }
        if (result > 0) {
            results.addAndGet(result);
        }
    }

    void remove(int result) {
        outcomes.decrementAndGet();
        if (result > 0) {
            results.addAndGet(-result);
        }
    }

    boolean many() {
        return outcomes.get() > MANY || manyResults();
    }

    boolean manyResults() {
        return results.get() > MANY_RESULTS;
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
