package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.JobContext;
import org.jspecify.annotations.Nullable;

/**
 * The code that runs one job. Called by several threads at once.
 */
@FunctionalInterface
public interface JobHandler {

    /**
     * Runs the job. Returning completes it, throwing fails it.
     *
     * @param payload JSON, as it was enqueued
     * @return where the listener keeps results, the job's result, as JSON; null for none
     */
    @Nullable
    Object handle(JobContext context, String payload) throws Throwable;
}
