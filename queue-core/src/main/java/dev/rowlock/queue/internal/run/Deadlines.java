package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.Threads;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Interrupts handlers whose time is up, and minds other short delays. One timer thread for the node; measures with the monotonic clock. */
public final class Deadlines {

    private static final Logger log = LoggerFactory.getLogger(Deadlines.class);

    private final ScheduledThreadPoolExecutor timer;

    public Deadlines(String name) {
        this.timer = new ScheduledThreadPoolExecutor(1, Threads.daemon(name + "-deadlines"));
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Stops the execution after this time, unless it ends before. Replaces its earlier deadline. */
    void watch(Execution execution, Duration fromNow) {
        execution.deadline(
                System.nanoTime() + fromNow.toNanos(), after(fromNow, () -> execution.stop(Execution.Stop.TIMED_OUT)));
    }

    /** Runs a short task after this time, unless the caller cancels it before. */
    Future<?> after(Duration fromNow, Runnable task) {
        return timer.schedule(task, fromNow.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs a short task again and again, that far apart, also after it has thrown. */
    public void each(Duration apart, Runnable task) {
        timer.scheduleWithFixedDelay(() -> attempt(task), apart.toMillis(), apart.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void attempt(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            EndlessTask.tell(() -> log.error("a task of the timer failed; the timer goes on", e));
        }
    }

    /** Brings the timer's thread back, should it be gone: where memory runs out, no new one may have been had. */
    public void keepAlive() {
        timer.prestartCoreThread();
    }

    public void close() {
        timer.shutdownNow();
    }
}
