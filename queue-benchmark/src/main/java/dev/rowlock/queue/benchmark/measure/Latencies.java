package dev.rowlock.queue.benchmark.measure;

import java.util.Arrays;

/** Latencies in order. */
public final class Latencies {

    private final long[] nanos;

    private Latencies(long[] nanos) {
        this.nanos = nanos;
    }

    /**
     * From one moment to another for each job.
     *
     * @param from in nanoseconds; entries that are 0 have not happened and do not count
     * @param to on the same clock
     */
    public static Latencies between(long[] from, long[] to) {
        long[] found = new long[from.length];
        int count = 0;
        for (int i = 0; i < from.length; i++) {
            if (from[i] != 0 && to[i] != 0) {
                // A listener may start before the producer's thread has noticed that its commit is through.
                found[count++] = Math.max(0, to[i] - from[i]);
            }
        }
        long[] sorted = Arrays.copyOf(found, count);
        Arrays.sort(sorted);
        return new Latencies(sorted);
    }

    /** @param nanos in any order */
    public static Latencies of(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Latencies(sorted);
    }

    public int count() {
        return nanos.length;
    }

    /** The latency that this share of jobs does not exceed, in milliseconds. */
    public double millis(double share) {
        if (nanos.length == 0) {
            return Double.NaN;
        }
        int index = (int) Math.ceil(share * nanos.length) - 1;
        return nanos[Math.max(0, Math.min(nanos.length - 1, index))] / 1e6;
    }

    /** Notes p50, p99 and max. */
    public void note(Figures figures, String prefix) {
        figures.put(prefix + "p50_ms", millis(0.5));
        figures.put(prefix + "p99_ms", millis(0.99));
        figures.put(prefix + "max_ms", millis(1));
    }
}
