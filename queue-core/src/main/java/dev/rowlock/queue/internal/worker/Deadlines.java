package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Interrupts handlers whose time is up, and minds other short delays. One timer thread for the node; measures with the monotonic clock. */
final class Deadlines {

    private final ScheduledThreadPoolExecutor timer;

    Deadlines(String name) {
        this.timer = new ScheduledThreadPoolExecutor(1, Threads.daemon(name + "-deadlines"));
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Stops the execution after this time, unless it ends before. Replaces its earlier deadline. */
    void watch(Execution execution, Duration fromNow) {
        execution.deadline(
                System.nanoTime() + fromNow.toNanos(),
                timer.schedule(
                        () -> execution.stop(Execution.Stop.TIMED_OUT), fromNow.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Runs a short task after this time. */
    void later(Duration fromNow, Runnable task) {
        timer.schedule(task, fromNow.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs a short task again and again, that far apart. It must not throw. */
    void each(Duration apart, Runnable task) {
        timer.scheduleWithFixedDelay(task, apart.toMillis(), apart.toMillis(), TimeUnit.MILLISECONDS);
    }

    void close() {
        timer.shutdownNow();
    }
}
