package dev.rowlock.queue.benchmark.measure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The listener's body, the same for every peer: counts, notes the time if asked to, and does nothing else. Thread-safe. */
public final class Probe {

    private final LongAdder ran = new LongAdder();
    private final AtomicLong first = new AtomicLong();
    private final long slowFrom;
    private final long slowNanos;
    private final long @Nullable [] starts;

    private Probe(long slowFrom, Duration slow, long @Nullable [] starts) {
        this.slowFrom = slowFrom;
        this.slowNanos = slow.toNanos();
        this.starts = starts;
    }

    /** A listener that does nothing. */
    public static Probe counting() {
        return new Probe(Long.MAX_VALUE, Duration.ZERO, null);
    }

    /** A listener that takes so long, without using the processor. */
    public static Probe taking(Duration handler) {
        return new Probe(0, handler, null);
    }

    /** Also notes when each job with a sequence number below {@code jobs} started. */
    public static Probe timing(int jobs) {
        return mixed(jobs, Long.MAX_VALUE, Duration.ZERO);
    }

    /**
     * Jobs numbered from {@code slowFrom} on take so long, without using the processor; all others do nothing. Also notes
     * when each job with a sequence number below {@code timed} started.
     */
    public static Probe mixed(int timed, long slowFrom, Duration slow) {
        return new Probe(slowFrom, slow, new long[timed]);
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
        if (seq >= slowFrom) {
            Await.nanoTime(now + slowNanos);
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

    /** From which sequence number on jobs are slow. */
    public long slowFrom() {
        return slowFrom;
    }

    /** How long slow jobs take. */
    public Duration slowTime() {
        return Duration.ofNanos(slowNanos);
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
