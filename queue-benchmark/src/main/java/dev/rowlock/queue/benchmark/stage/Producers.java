package dev.rowlock.queue.benchmark.stage;

import dev.rowlock.queue.benchmark.measure.Await;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Threads that enqueue as fast as they can while workers keep up: never more than {@link #AHEAD} jobs ahead of them. */
public final class Producers implements AutoCloseable {

    /** So many jobs may wait: enough to keep every peer busy. */
    private static final long AHEAD = 20_000;

    private final Session session;
    private final Probe probe;
    private final int batch;
    private final AtomicLong next;
    private final AtomicLong enqueued = new AtomicLong();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopping;

    private Producers(Session session, Probe probe, long from, int batch) {
        this.session = session;
        this.probe = probe;
        this.batch = batch;
        this.next = new AtomicLong(from);
    }

    /** Starts them on jobs numbered from {@code from}. With a batch of 1 each job is a call and a transaction of its own. */
    public static Producers start(Session session, Probe probe, long from, int threads, int batch) {
        Producers producers = new Producers(session, probe, from, batch);
        for (int i = 0; i < threads; i++) {
            producers.threads.add(new Thread(producers::run, "producer-" + i));
        }
        producers.threads.forEach(Thread::start);
        return producers;
    }

    private void run() {
        try {
            while (!stopping) {
                if (enqueued.get() - probe.count() > AHEAD) {
                    Await.nanoTime(System.nanoTime() + 1_000_000);
                    continue;
                }
                enqueue(next.getAndAdd(batch));
                enqueued.addAndGet(batch);
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void enqueue(long from) {
        if (batch == 1) {
            session.enqueue(Job.of(from));
        } else {
            session.enqueueAll(
                    LongStream.range(from, from + batch).mapToObj(Job::of).toList());
        }
    }

    /** How many jobs are in. Fails if a producer did. */
    public long enqueued() {
        RuntimeException e = failure.get();
        if (e != null) {
            throw e;
        }
        return enqueued.get();
    }

    @Override
    public void close() {
        stopping = true;
        Await.until(
                "producers stopped",
                () -> threads.stream().noneMatch(Thread::isAlive),
                Duration.ofMillis(1),
                Duration.ofMinutes(1));
    }
}
