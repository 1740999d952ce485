package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleUnaryOperator;

/** Lets something expensive happen as often as it takes no more than a share of the time. Times are monotonic nanoseconds. */
public final class CostBudget {

    /** What it cost counts with at least this fraction, however cheap it was before. */
    private static final int DISTRUST = 8;

    /** The first one counts with at most this: it may be slow because this process, the server or a connection has only just started. */
    private static final long FIRST_NANOS = Duration.ofMillis(10).toNanos();

    private final DoubleUnaryOperator share;
    private long cost;
    private long lastAt;
    private double
            chance; // since the last time; drawn once, for the time to wait must not depend on how often somebody asks

    /**
     * @param share of the time at the moment, by a number between 0 and 1 that chance has drawn for this wait; from 1 on it need
     *     not wait at all
     */
    public CostBudget(DoubleUnaryOperator share, long now) {
        this.share = share;
        this.lastAt = now;
    }

    /** How long it must still wait, by the share of this moment; 0: it may happen. */
    public long allowedIn(long now) {
        return allowedIn(now, share.applyAsDouble(chance));
    }

    /** How long it must still wait if it takes this share of the time, by whatever is allowed to it at the moment. */
    public long allowedIn(long now, double otherShare) {
        return Math.max(0, lastAt + pause(otherShare) - now);
    }

    private long pause(double of) {
        return (long) (cost * Math.max(0, 1 / of - 1));
    }

    /** How far apart such things are, whoever does them, if together they take this share of the time. */
    public Duration apart(double together) {
        return Duration.ofNanos((long) (cost / together));
    }

    /**
     * It has happened and took so long. A single slow one may be a stall of the machine: the cost only doubles from time to
     * time. But not if it was so slow that several more like it would be felt: a table that has outgrown the server's memory
     * takes seconds at once.
     */
    public void took(Duration time, long now) {
        long measured = time.toNanos();
        cost = cost == 0
                ? Math.min(measured, FIRST_NANOS)
                : Math.min(measured, Math.max(2 * cost, measured / DISTRUST));
        lastAt = now;
        chance = ThreadLocalRandom.current().nextDouble();
    }
}
