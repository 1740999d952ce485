package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.attempt.Execution;
import dev.rowlock.queue.settings.FetchSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claimed jobs of one queue that wait for a thread. Never full: demand bounds it.
 *
 * <p>Nobody else can run what waits here. How long handlers take is known only afterwards, so now and then jobs wait behind
 * handlers that were believed to be quick. Those that would not begin soon are found by {@link #takeLate}, to be given back.
 */
public final class Buffer {

    /** A job may wait this long, or twice the prefetch horizon if that is longer, before anybody looks whether it is late. */
    private static final Duration UNTIL_LATE = Duration.ofMillis(500);

    /** A job that has waited that long is late unless it would begin within this time, at the pace of late. */
    private static final Duration SOON = Duration.ofMillis(500);

    /** A wait that nobody has ended by then is over: time for the look at late jobs, and for a suspect that was parked. */
    private static final Duration MARGIN = Duration.ofSeconds(2);

    private final BlockingQueue<Execution> waiting;
    private final long untilLate;
    private final AtomicLong added = new AtomicLong(); // without those that were taken out unstarted
    private long begunBefore; // takeLate's caller only, as those below
    private long lookedAt = System.nanoTime();

    Buffer(int most, FetchSettings settings) {
        this.waiting = new ArrayBlockingQueue<>(most);
        this.untilLate = untilLate(settings).toNanos();
    }

    private static Duration untilLate(FetchSettings settings) {
        Duration horizons = settings.prefetchHorizon().multipliedBy(2);
        return horizons.compareTo(UNTIL_LATE) > 0 ? horizons : UNTIL_LATE;
    }

    /** No job begins that was claimed longer ago than this. */
    public static Duration longestWait(FetchSettings settings) {
        return untilLate(settings).plus(MARGIN);
    }

    void add(Execution execution) {
        added.incrementAndGet();
        waiting.add(execution);
    }

    /** The next job to run; null if there is none now. */
    @Nullable
    Execution poll() {
        return waiting.poll();
    }

    /** The next job to run; null if none has come in this time. */
    @Nullable
    Execution poll(Duration longest) throws InterruptedException {
        return waiting.poll(longest.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Takes out the first of those that are wanted, up to so many, for a thread to run. */
    List<Execution> take(Predicate<Execution> wanted, int most) {
        List<Execution> taken = new ArrayList<>();
        waiting.removeIf(execution -> taken.size() < most && wanted.test(execution) && taken.add(execution));
        return taken;
    }

    int size() {
        return waiting.size();
    }

    /** Takes out all of them. */
    List<Execution> takeAll() {
        List<Execution> all = new ArrayList<>();
        waiting.drainTo(all);
        added.addAndGet(-all.size());
        return all;
    }

    /** Takes out those that would not begin soon. To be called several times a second, by one thread at a time. */
    List<Execution> takeLate(long now) {
        long begun = added.get() - waiting.size();
        double pace = (double) (begun - begunBefore) / Math.max(1, now - lookedAt);
        begunBefore = begun;
        lookedAt = now;
        Execution first = waiting.peek();
        if (first == null || now - first.claimedNanos() < untilLate) {
            return List.of();
        }
        double beginSoon = pace * SOON.toNanos();
        AtomicInteger ahead = new AtomicInteger();
        List<Execution> late = new ArrayList<>();
        waiting.removeIf(execution -> ahead.getAndIncrement() >= beginSoon && late.add(execution));
        added.addAndGet(-late.size());
        return late;
    }
}
