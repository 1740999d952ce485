package dev.rowlock.queue.search;

import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One line of a list of jobs.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface JobSummary {

    long id();

    JobState state();

    String queue();

    String type();

    /** What people read, see {@code @JobType}; null: it has none. */
    @Nullable
    String title();

    /** What it is about, as limits and order count it; null: it has none. */
    @Nullable
    String key();

    /** The unique key with which it was enqueued, whether it still holds it or not; null: none. */
    @Nullable
    String uniqueKey();

    int priority();

    /** Number of its last attempt, the running one included. */
    int attempt();

    /** How often its node died while it ran. */
    int crashes();

    Instant enqueuedAt();

    /** Waiting: when it becomes runnable; ready and running: since when it is runnable. */
    @Nullable
    Instant dueAt();

    /** When it was claimed for its last attempt; null: it never was. */
    @Nullable
    Instant startedAt();

    /** When it completed, was cancelled or died. */
    @Nullable
    Instant endedAt();

    /** The node that runs it or ran it last; null: none, or it was given back. */
    @Nullable
    Long nodeId();

    /** Running: percent, as its handler last said. */
    @Nullable
    Integer progress();

    /** What went wrong last, without its stack trace; null without errors. */
    @Nullable
    FailedAttempt lastError();

    /** Dead: that of its last error. */
    @Nullable
    String fingerprint();

    /** JSON; null unless the {@link Page} asks for payloads. */
    @Nullable
    String payload();
}
