package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.DeadJob;
import dev.rowlock.queue.job.JobContext;

/**
 * The code that runs once for each death of a listener's jobs: {@link ListenerDefinition#onDead}. It runs as a job of its own. Called by several
 * threads at once.
 */
@FunctionalInterface
public interface DeadJobHandler {

    /**
     * Returning completes this job, throwing fails it.
     *
     * @param context of this job, not of the dead one; its headers are those of the dead one
     * @param payload the dead job's, as JSON
     */
    void handle(JobContext context, DeadJob dead, String payload) throws Throwable;
}
