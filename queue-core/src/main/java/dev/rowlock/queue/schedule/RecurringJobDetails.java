package dev.rowlock.queue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a recurring job.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface RecurringJobDetails {

    String name();

    Schedule schedule();

    /** Whether applications declare it; otherwise {@link RecurringJobs#create} made it. */
    boolean declared();

    /** Of its jobs. */
    String type();

    /** Of its jobs. */
    String queue();

    MissedRuns missed();

    Overlap overlap();

    Duration jitter();

    /** Whether it is paused. */
    boolean paused();

    /** Whether no node has declared it for an hour, so that it does not run any more. */
    boolean retired();

    /** The time of the last run for which a job was enqueued; null: none yet. */
    @Nullable
    Instant lastRun();

    /** The id of that job, also if it was {@linkplain RecurringJobs#runNow run by hand}; null: none yet. */
    @Nullable
    Long lastJob();

    /** The ids of its last jobs, up to ten, the newest first: with {@link #lastJob}. */
    List<Long> recentJobs();

    /** How many runs did not take place because of {@link #overlap}. */
    long skipped();

    /** The times of the next five runs, without jitter; empty while it is paused or retired. */
    List<Instant> next();
}
