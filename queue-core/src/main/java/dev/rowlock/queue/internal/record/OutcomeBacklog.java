package dev.rowlock.queue.internal.record;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** How much a recorder has still to write, and whether it gets on with that. Thread-safe. */
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
