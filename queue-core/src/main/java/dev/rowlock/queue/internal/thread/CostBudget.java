package dev.rowlock.queue.internal.thread;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/** Lets something expensive happen as often as it takes no more than a share of the time. Times are monotonic nanoseconds. */
public final class CostBudget {

    /** What it cost counts with at least this fraction, however cheap it was before. */
    private static final int DISTRUST = 8;

    private final DoubleSupplier share;
    private long cost;
    private long lastAt;
    private long allowedAt;

    /** @param share of the time at the moment; from 1 on it need not wait at all */
    public CostBudget(DoubleSupplier share, long now) {
        this.share = share;
        this.lastAt = now;
        this.allowedAt = now;
    }

    /** How long it must still wait; 0: it may happen. */
    public long allowedIn(long now) {
        return Math.max(0, allowedAt - now);
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
        cost = cost == 0 ? measured : Math.min(measured, Math.max(2 * cost, measured / DISTRUST));
        lastAt = now;
        allowedAt = now + pause(share.getAsDouble());
    }
}
