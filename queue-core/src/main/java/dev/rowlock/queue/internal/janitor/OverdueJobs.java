package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.TakeOverdueJobs;
import dev.rowlock.queue.job.RetryPolicy;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes jobs from handlers that ignore their deadline. */
final class OverdueJobs implements Chore {

    private static final Logger log = LoggerFactory.getLogger(OverdueJobs.class);

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    /** What a node that does interrupt its handler needs to write down what came of it. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final TakeOverdueJobs take;
    private final RetryPolicy retry;

    OverdueJobs(TakeOverdueJobs take, RetryPolicy retry) {
        this.take = take;
        this.retry = retry;
    }

    @Override
    public String name() {
        return "overdue jobs";
    }

    @Override
    public Duration runOnce() {
        int taken = take.run(GRACE, retry.maxRetries(), retry.initialInterval());
        if (taken > 0) {
            log.warn(
                    "{} jobs were still running {} after their deadline: they were taken from their nodes",
                    taken,
                    GRACE);
        }
        return INTERVAL;
    }
}
