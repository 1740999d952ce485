package dev.rowlock.queue.benchmark.measure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The listener's body, the same for every peer: counts, notes the time if asked to, and does nothing else. Thread-safe. */
public final class Probe {

    private final LongAdder ran = new LongAdder();
    private final AtomicLong first = new AtomicLong();
    private final long handlerNanos;
    private final long @Nullable [] starts;

    private Probe(Duration handler, long @Nullable [] starts) {
        this.handlerNanos = handler.toNanos();
        this.starts = starts;
    }

    /** A listener that does nothing. */
    public static Probe counting() {
        return new Probe(Duration.ZERO, null);
    }

    /** A listener that takes so long, without using the processor. */
    public static Probe taking(Duration handler) {
        return new Probe(handler, null);
    }

    /** Also notes when each job with a sequence number below {@code jobs} started. */
    public static Probe timing(int jobs) {
        return new Probe(Duration.ZERO, new long[jobs]);
    }

    /** A job's listener was called. */
    public void ran(long seq) {
        long now = System.nanoTime();
        if (first.get() == 0) {
            first.compareAndSet(0, now);
        }
        if (starts != null && seq < starts.length) {
            starts[(int) seq] = now;
        }
        if (handlerNanos > 0) {
            LockSupport.parkNanos(handlerNanos);
        }
        ran.increment();
    }

    /** So many more jobs ran in another process, which says so now and then. */
    public void ranElsewhere(long jobs) {
        first.compareAndSet(0, System.nanoTime());
        ran.add(jobs);
    }

    /** A job in another process started then, by the machine's monotonic clock. */
    public void startedElsewhere(int seq, long nanos) {
        if (starts != null && seq < starts.length) {
            starts[seq] = nanos;
        }
    }

    public long count() {
        return ran.sum();
    }

    /** When the first job started, as {@link System#nanoTime}; 0 if none has. */
    public long firstNanos() {
        return first.get();
    }

    /** By sequence number, as {@link System#nanoTime}, which is one clock for all processes of a machine; 0: never. */
    public long[] startNanos() {
        if (starts == null) {
            throw new IllegalStateException("this probe only counts");
        }
        return starts.clone();
    }
}
