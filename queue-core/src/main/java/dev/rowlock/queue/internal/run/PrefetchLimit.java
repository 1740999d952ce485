package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.settings.FetchSettings;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many jobs a queue may hold: one for each of its threads, or a chunk, and ahead of them no more than the threads will start
 * within the prefetch horizon, by the measured time of its handlers. Slow handlers prefetch nothing, fast ones
 * hundreds. A handler that already runs longer than they usually do counts at once, before it ends: its thread is expected
 * to need as long again, and as long for each job after it.
 */
final class PrefetchLimit {

    /** The weight of the newest measurement. */
    private static final double NEWEST = 0.3;

    /** So long a node that has given back jobs claims none ahead: others shall have them, and its guess was wrong. */
    private static final Duration COURTESY = Duration.ofSeconds(1);

    private final int concurrency;
    private final int batch;
    private final FetchSettings settings;
    private final RunningHandlers handlers;
    private final LongAdder handlerNanos = new LongAdder();
    private final LongAdder handled = new LongAdder();
    private double averageNanos; // written by one thread at a time; 0: nothing measured yet
    private volatile long noneAheadUntil = System.nanoTime(); // written by whoever gives back jobs

    PrefetchLimit(FetchSettings settings, RunningHandlers handlers) {
        this(settings, handlers, 1);
    }

    /** @param batch the most jobs that a thread runs in one call */
    PrefetchLimit(FetchSettings settings, RunningHandlers handlers, int batch) {
        this.batch = batch;
        this.concurrency = handlers.threads();
        this.settings = settings;
        this.handlers = handlers;
    }

    /** There are never more claimed jobs without an outcome than this. */
    int most() {
        return concurrency * batch + settings.maxPrefetch();
    }

    /** A handler has ended. Called by handler threads. */
    void handled(long nanos) {
        handled(nanos, 1);
    }

    /** A call has ended that ran so many jobs. */
    void handled(long nanos, int jobs) {
        handlerNanos.add(nanos);
        handled.add(jobs);
    }

    /** Jobs were given back that others can run: for a moment none are claimed ahead. */
    void restrain() {
        noneAheadUntil = System.nanoTime() + COURTESY.toNanos();
    }

    /** How many to claim now, given how many are held; 0 if it is not worth a claim yet. One thread at a time. */
    int free(int held) {
        return free(held, settings.prefetchHorizon());
    }

    /** As {@link #free(int)}, with another horizon. */
    int free(int held, Duration horizon) {
        int prefetch = prefetch(horizon);
        int free = handlers.slots() + prefetch - held;
        return free > prefetch / 2 ? free : 0; // so always, where threads are idle
    }

    /** Once no more than this many are held, {@link #free} is positive again. One thread at a time. */
    int lowWater() {
        return lowWater(settings.prefetchHorizon());
    }

    /** As {@link #lowWater()}, with another horizon. */
    int lowWater(Duration horizon) {
        int prefetch = prefetch(horizon);
        return handlers.slots() + prefetch - prefetch / 2 - 1;
    }

    private int prefetch(Duration horizon) {
        long count = handled.sumThenReset();
        long nanos = handlerNanos.sumThenReset();
        if (count > 0) {
            double newest = Math.max(1.0, (double) nanos / count);
            averageNanos = averageNanos == 0 ? newest : averageNanos + NEWEST * (newest - averageNanos);
        }
        if (averageNanos == 0) {
            return 0;
        }
        long now = System.nanoTime();
        return now - noneAheadUntil < 0 ? 0 : (int) Math.min(settings.maxPrefetch(), startable(now, horizon.toNanos()));
    }

    /** How many jobs the threads will start within the horizon. */
    private double startable(long now, double horizon) {
        double startable = 0;
        for (int thread = 0; thread < concurrency; thread++) {
            long elapsed = handlers.elapsed(thread, now);
            startable += elapsed <= averageNanos ? horizon / averageNanos : Math.max(0, horizon - elapsed) / elapsed;
        }
        return startable;
    }
}
