package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;

/**
 * Hears what happens to jobs on this node, soon after it has happened. Each observer has a thread of its own, which tells it
 * one event after the other; jobs come without their payload. An observer that throws is logged and does no harm to the job.
 * One that is 10,000 events behind misses the next ones, which is logged: neither jobs nor outcomes wait for observers.
 */
public interface JobObserver {

    /**
     * Whether to be called at once instead, on the thread where it happens, and so to miss nothing. Several threads call at
     * once, and as long as a call takes, handlers do not start, or the outcomes of the whole node are not written. For
     * observers that only count. Asked once.
     */
    default boolean immediate() {
        return false;
    }

    /** This node is about to begin running the jobs of this listener. Once for each listener, before its first job. */
    default void listening(ListenerDefinition listener) {}

    /** The handler is about to be called. {@code waited} is the time from runnable to now. */
    default void started(ClaimedJob job, Duration waited) {}

    /**
     * An outcome has been recorded; {@code took} is the time inside the handler. {@link Outcome#thrown} is the exception of
     * a failed attempt as it was thrown, redacted by nobody. Its causes stay in memory until the observer has heard of it.
     * {@link ClaimedJob#attempt} is the one that the claim began, also where the job was put aside and it does not count after all.
     */
    default void finished(ClaimedJob job, Outcome outcome, Duration took) {}

    /** An outcome was refused: the claim had been lost. */
    default void lost(ClaimedJob job) {}

    /** Jobs of dead nodes were taken back by this node, {@code quarantined} of them into {@code dead}. Zero jobs: the dead nodes held none. */
    default void rescued(int jobs, int quarantined) {}
}
