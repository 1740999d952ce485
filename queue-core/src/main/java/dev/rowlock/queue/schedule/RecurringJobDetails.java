package dev.rowlock.queue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a recurring job.
 *
 * @param declared whether applications declare it; otherwise {@link RecurringJobs#create} made it
 * @param type of its jobs
 * @param queue of its jobs
 * @param paused whether it is paused
 * @param retired whether no node has declared it for an hour, so that it does not run any more
 * @param lastRun the time of the last run for which a job was enqueued; null: none yet
 * @param lastJob the id of that job, also if it was {@linkplain RecurringJobs#runNow run by hand}; null: none yet
 * @param recentJobs the ids of its last jobs, up to ten, the newest first: with {@link #lastJob}
 * @param skipped how many runs did not take place because of {@link #overlap}
 * @param next the times of the next five runs, without jitter; empty while it is paused or retired
 */
public record RecurringJobDetails(
        String name,
        Schedule schedule,
        boolean declared,
        String type,
        String queue,
        MissedRuns missed,
        Overlap overlap,
        Duration jitter,
        boolean paused,
        boolean retired,
        @Nullable Instant lastRun,
        @Nullable Long lastJob,
        List<Long> recentJobs,
        long skipped,
        List<Instant> next) {}
