package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.spi.FetchSettings;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many jobs a queue may hold: one for each of its threads, and ahead of them no more than the threads will start
 * within the prefetch horizon, by the measured time of its handlers. Slow handlers prefetch nothing, fast ones
 * hundreds.
 */
final class Demand {

    /** The weight of the newest measurement. */
    private static final double NEWEST = 0.3;

    private final int concurrency;
    private final FetchSettings settings;
    private final LongAdder handlerNanos = new LongAdder();
    private final LongAdder handled = new LongAdder();
    private double averageNanos; // written by one thread at a time; 0: nothing measured yet

    Demand(int concurrency, FetchSettings settings) {
        this.concurrency = concurrency;
        this.settings = settings;
    }

    /** There are never more claimed jobs without an outcome than this. */
    int most() {
        return concurrency + settings.maxPrefetch();
    }

    /** A handler has ended. Called by handler threads. */
    void handled(long nanos) {
        handlerNanos.add(nanos);
        handled.increment();
    }

    /** How many to claim now, given how many are held; 0 if it is not worth a claim yet. One thread at a time. */
    int room(int held) {
        int prefetch = prefetch();
        int room = concurrency + prefetch - held;
        boolean threadsIdle = held < concurrency;
        return threadsIdle || room > prefetch / 2 ? Math.max(0, room) : 0;
    }

    /** Once no more than this many are held, {@link #room} is positive again. One thread at a time. */
    int lowWater() {
        int prefetch = prefetch();
        return concurrency + prefetch - prefetch / 2 - 1;
    }

    private int prefetch() {
        long count = handled.sumThenReset();
        long nanos = handlerNanos.sumThenReset();
        if (count > 0) {
            double newest = Math.max(1.0, (double) nanos / count);
            averageNanos = averageNanos == 0 ? newest : averageNanos + NEWEST * (newest - averageNanos);
        }
        if (averageNanos == 0) {
            return 0;
        }
        double startable = concurrency * settings.prefetchHorizon().toNanos() / averageNanos;
        return (int) Math.min(settings.maxPrefetch(), startable);
    }
}
