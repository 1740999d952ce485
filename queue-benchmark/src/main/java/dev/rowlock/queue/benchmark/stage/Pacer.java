package dev.rowlock.queue.benchmark.stage;

import dev.rowlock.queue.benchmark.measure.Await;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Enqueues one job after the other at an even pace, and notes when. */
public final class Pacer {

    private final Session session;
    private final long from;
    private final long pace;
    private final long[] called;
    private final long[] committed;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    private Pacer(Session session, long from, int jobs, Duration pace) {
        this.session = session;
        this.from = from;
        this.pace = pace.toNanos();
        this.called = new long[jobs];
        this.committed = new long[jobs];
    }

    /** Enqueues jobs numbered from {@code from}. Returns when the last is in. */
    public static Pacer run(Session session, long from, int jobs, Duration pace, int threads) {
        Pacer pacer = new Pacer(session, from, jobs, pace);
        List<Thread> all = new ArrayList<>();
        long begin = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            all.add(new Thread(() -> pacer.enqueue(begin), "pacer-" + i));
        }
        all.forEach(Thread::start);
        Await.until(
                "all jobs enqueued",
                () -> all.stream().noneMatch(Thread::isAlive),
                Duration.ofMillis(1),
                pace.multipliedBy(jobs).plusMinutes(1));
        RuntimeException e = pacer.failure.get();
        if (e != null) {
            throw e;
        }
        return pacer;
    }

    private void enqueue(long begin) {
        try {
            int i = next.getAndIncrement();
            while (i < called.length) {
                Await.nanoTime(begin + i * pace);
                called[i] = System.nanoTime();
                session.enqueue(Job.of(from + i));
                committed[i] = System.nanoTime();
                i = next.getAndIncrement();
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** When each call began, as {@link System#nanoTime}. */
    public long[] called() {
        return called.clone();
    }

    /** When each call returned. */
    public long[] committed() {
        return committed.clone();
    }
}
