package dev.rowlock.queue.result;

import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The job is dead: its last attempt failed, or it was quarantined. It may be redriven and waited for again. */
public final class JobDeadException extends JobResultException {

    private static final long serialVersionUID = 1L;

    private final JobState state;
    private final transient @Nullable FailedAttempt lastError;

    public JobDeadException(long jobId, JobState state, @Nullable FailedAttempt lastError) {
        super(
                jobId,
                "job %d is dead (%s)%s"
                        .formatted(
                                jobId,
                                state.label(),
                                lastError == null ? "" : ": " + lastError.type() + ": " + lastError.message()));
        this.state = state;
        this.lastError = lastError;
    }

    /** Dead or quarantined. */
    public JobState state() {
        return state;
    }

    /** What went wrong last. */
    public Optional<FailedAttempt> lastError() {
        return Optional.ofNullable(lastError);
    }
}
