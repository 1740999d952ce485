package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.DispatchDueJobs;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;

/** Moves waiting jobs to ready when they are due. Sleeps until the next one is, or until somebody says otherwise. */
final class Dispatcher implements Chore {

    private static final int BATCH = 1_000;

    /** Jobs enqueued elsewhere may be due before the next one known here. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(5);

    private final DispatchDueJobs dispatch;
    private final Wakeups wakeups;
    private final Duration pollInterval;

    Dispatcher(DispatchDueJobs dispatch, Wakeups wakeups, Duration pollInterval) {
        this.dispatch = dispatch;
        this.wakeups = wakeups;
        this.pollInterval = pollInterval;
    }

    @Override
    public String name() {
        return "dispatcher";
    }

    @Override
    public Duration runOnce() {
        DispatchDueJobs.Result result = dispatch.run(BATCH);
        result.queues().forEach(queue -> wakeups.jobsReady(queue.queue(), queue.rank(), queue.jobs()));
        if (result.jobs() >= BATCH) {
            return Duration.ZERO;
        }
        Duration rest = result.jobs() > 0 || pollInterval.compareTo(LONGEST_REST) > 0 ? pollInterval : LONGEST_REST;
        return result.nextDue() != null && result.nextDue().compareTo(rest) < 0 ? result.nextDue() : rest;
    }
}
