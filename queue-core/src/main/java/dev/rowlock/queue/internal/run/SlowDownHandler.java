package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;

/** Applies the slow-down that a handler requests by {@code SlowDownException}. Called on the thread of the handler. */
@FunctionalInterface
public interface SlowDownHandler {

    /** Applies none. */
    SlowDownHandler NONE = (job, retryAfter) -> {};

    /** What it throws is logged and changes nothing about the job. */
    void slowDown(ClaimedJob job, Duration retryAfter);
}
