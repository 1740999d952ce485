package dev.rowlock.queue.internal.attempt;

import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;

/** Hears of handlers that somebody has told to come back later. Called on their threads. */
@FunctionalInterface
public interface Refusals {

    /** Nobody hears of them. */
    Refusals UNHEARD = (job, retryAfter) -> {};

    /** What it throws is logged and changes nothing about the job. */
    void refused(ClaimedJob job, Duration retryAfter);
}
