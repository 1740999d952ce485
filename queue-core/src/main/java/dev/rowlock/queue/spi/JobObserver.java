package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;

/**
 * Hears what happens to jobs on this node. Called on the worker's threads, several at once: return quickly. An
 * observer that throws is logged and does no harm to the job.
 */
public interface JobObserver {

    /** The handler is about to be called. {@code waited} is the time from runnable to now. */
    default void started(ClaimedJob job, Duration waited) {}

    /** An outcome has been recorded; {@code took} is the time inside the handler. */
    default void finished(ClaimedJob job, Outcome outcome, Duration took) {}

    /** An outcome was refused: the claim had been lost. */
    default void lost(ClaimedJob job) {}

    /** Jobs of dead nodes were taken back by this node, {@code quarantined} of them into {@code dead}. */
    default void rescued(int jobs, int quarantined) {}
}
