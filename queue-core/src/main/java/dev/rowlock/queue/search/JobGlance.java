package dev.rowlock.queue.search;

import dev.rowlock.queue.job.JobState;
import org.jspecify.annotations.Nullable;

/**
 * Where a job is at this moment.
 *
 * @param attempt number of its last attempt, the running one included
 * @param progress running: percent, as its handler last said
 * @param progressNote running: what its handler said with it
 */
public record JobGlance(
        long id,
        JobState state,
        String type,
        int attempt,
        @Nullable Integer progress,
        @Nullable String progressNote) {}
