package dev.rowlock.queue.internal.text;

import java.time.Duration;

/** How many lines of one kind the log gets in a time. Those left out are counted, so that the next line can tell. Thread-safe. */
public final class LineLimit {

    private final int most;
    private final long nanos;
    private long begun; // guarded by this; monotonic: the time that is counted
    private int lines; // guarded by this; written in it
    private long leftOut; // guarded by this; since the last line

    /** So many lines in each such time. */
    public LineLimit(int most, Duration time) {
        this.most = most;
        this.nanos = time.toNanos();
        this.begun = System.nanoTime();
    }

    /**
     * How many lines were left out before this one; negative if this one is left out as well.
     *
     * @param now monotonic
     */
    public synchronized long admitted(long now) {
        if (now - begun >= nanos) {
            begun = now;
            lines = 0;
        }
        if (lines == most) {
            leftOut++;
            return -1;
        }
        lines++;
        long before = leftOut;
        leftOut = 0;
        return before;
    }
}
