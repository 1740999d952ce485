package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.thread.EndlessTask;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of one queue that run handlers. One is started when more jobs wait than threads are free, up to the queue's
 * concurrency, and ends when it has found nothing for a while. Thread-safe.
 *
 * <p>No waiting job is overlooked. Whoever adds one looks afterwards at the number of threads and then, under the lock, at how
 * many are free. A thread that takes a job after a wait first says that it is free no longer and then looks itself whether
 * there are more jobs. A thread that ends first says so and then looks once more for jobs. While all threads are there, and
 * find jobs without a wait, nobody takes the lock.
 */
final class HandlerThreads {

    private static final Logger log = LoggerFactory.getLogger(HandlerThreads.class);

    /** A thread that has found nothing for so long ends. */
    static final Duration KEPT = Duration.ofMinutes(1);

    /** The last one stays for so many times as long: jobs that come now and then need not wait for a new one. */
    private static final int LAST_KEPT = 10;

    private final String queue;
    private final int most;
    private final Buffer buffer;
    private final Consumer<HandlerThread> loop;
    private final Duration kept;
    private final @Nullable HandlerThread[] threads; // guarded by this; by number
    private final AtomicInteger free = new AtomicInteger(); // started or waiting, and without a job
    private volatile int alive; // written under the monitor
    private @Nullable ThreadFactory factory; // guarded by this
    private volatile boolean unable; // written under the monitor; the last one could not be started
    private volatile boolean stopping; // written under the monitor

    /**
     * @param loop takes jobs and runs them until it gets none
     * @param kept how long a thread stays that finds nothing
     */
    HandlerThreads(String queue, int most, Buffer buffer, Consumer<HandlerThread> loop, Duration kept) {
        this.queue = queue;
        this.most = most;
        this.buffer = buffer;
        this.loop = loop;
        this.kept = kept;
        this.threads = new HandlerThread[most];
    }

    /** From now on there are threads for jobs that wait. */
    void start(ThreadFactory source) {
        synchronized (this) {
            factory = source;
        }
        ensure();
    }

    /** Jobs may wait: starts threads for those that no free one will take. Never throws. */
    void ensure() {
        if (alive < most) {
            grow();
        }
    }

    /** How many there are. */
    int alive() {
        return alive;
    }

    boolean stopping() {
        return stopping;
    }

    /** Those that cannot go on, by name. */
    synchronized Stream<String> broken() {
        boolean troubled =
                unable || Stream.of(threads).filter(Objects::nonNull).anyMatch(thread -> thread.part.troubled());
        return troubled ? Stream.of(name()) : Stream.of();
    }

    /** No thread is started any more; all are interrupted, and end when their handlers do. */
    synchronized void stop() {
        Stream.of(threads).filter(Objects::nonNull).forEach(thread -> thread.part.end());
        stopping = true;
        Stream.of(threads).filter(Objects::nonNull).forEach(thread -> thread.thread.interrupt());
    }

    private synchronized void grow() {
        while (factory != null && !stopping && alive < most && buffer.size() > free.get()) {
            if (!startOne(factory)) {
                return;
            }
        }
    }

    /** Returns false if there is no memory for it. Whatever waits stays where it is; late jobs look again, and go back. */
    private boolean startOne(ThreadFactory source) {
        int number = 0;
        while (threads[number] != null) {
            number++;
        }
        alive = alive + 1;
        free.incrementAndGet();
        try {
            HandlerThread next = new HandlerThread(number, source);
            next.thread.start();
            threads[number] = next;
            unable = false;
            return true;
        } catch (RuntimeException | Error e) {
            alive = alive - 1;
            free.decrementAndGet();
            boolean first = !unable;
            unable = true;
            if (first) {
                EndlessTask.tell(() -> log.warn(
                        "queue '{}': starting a handler thread failed, {} of {} are running; will retry",
                        queue,
                        alive,
                        most,
                        e));
            }
            return false;
        }
    }

    /** Whether the thread, which has waited so many times, may end. It is counted no longer then. */
    private synchronized boolean leave(HandlerThread thread, int waits) {
        if (alive == 1 && waits < LAST_KEPT) {
            return false;
        }
        alive = alive - 1;
        if (buffer.size() > 0) {
            alive = alive + 1; // whoever added that may have seen all threads
            return false;
        }
        free.decrementAndGet();
        threads[thread.number] = null;
        thread.part.end();
        return true;
    }

    private String name() {
        return "rowlock-" + queue;
    }

    /** One of them, as its loop sees it. */
    final class HandlerThread {

        private final int number;
        private final EndlessTask part;
        private final Thread thread;
        private boolean isFree = true; // its own thread only, as below
        private @Nullable Kind runs; // what it has taken last; null: nothing

        private HandlerThread(int number, ThreadFactory source) {
            this.number = number;
            this.part = new EndlessTask(name(), () -> loop.accept(this));
            this.thread = source.newThread(part);
        }

        /** From 0 on; no two that live have the same. */
        int number() {
            return number;
        }

        /** The next job to run; waits for one. Null: the thread ends. */
        @Nullable
        Execution take() throws InterruptedException {
            Execution next = buffer.poll(runs);
            runs = null;
            if (next == null && !isFree) {
                isFree = true;
                free.incrementAndGet();
            }
            for (int waits = 1; next == null; waits++) {
                next = buffer.await(kept);
                if (next == null && leave(this, waits)) {
                    return null;
                }
            }
            runs = Kind.of(next.job());
            if (isFree) {
                isFree = false;
                free.decrementAndGet();
                ensure();
            }
            return next;
        }
    }
}
