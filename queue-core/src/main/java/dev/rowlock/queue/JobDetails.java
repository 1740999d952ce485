package dev.rowlock.queue;

import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one job.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface JobDetails {

    long id();

    JobState state();

    String queue();

    String type();

    /** What people read in lists, see {@link JobType#title}; null for none. */
    @Nullable
    String title();

    /** Which jobs of its queue it belongs with; null for none. */
    @Nullable
    String key();

    /** The unique key with which it was enqueued, whether it still holds it or not; null for none. */
    @Nullable
    String uniqueKey();

    int priority();

    int attempt();

    int crashes();

    @Nullable
    Integer maxRetries();

    @Nullable
    Duration timeout();

    Instant enqueuedAt();

    /** Waiting: when it becomes runnable; ready and running: since when it was runnable. */
    @Nullable
    Instant dueAt();

    /** When it was claimed for the last attempt. */
    @Nullable
    Instant claimedAt();

    /** Running, with a timeout: when its handler is interrupted at the latest. */
    @Nullable
    Instant deadline();

    /** When it completed, was cancelled or died. */
    @Nullable
    Instant endedAt();

    @Nullable
    Long nodeId();

    /** Waiting: why. */
    @Nullable
    WaitReason waitReason();

    /** Percent, as its handler last said. */
    @Nullable
    Integer progress();

    @Nullable
    String progressNote();

    boolean cancelRequested();

    /** JSON; {@code null} if it is gone: somebody has removed it from the table {@code payload}. */
    String payload();

    Map<String, String> headers();

    /** What went wrong so far, oldest first. */
    List<FailedAttempt> errors();

    /** What its listener returned, as JSON. */
    @Nullable
    String result();
}
