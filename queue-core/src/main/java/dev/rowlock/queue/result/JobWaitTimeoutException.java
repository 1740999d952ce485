package dev.rowlock.queue.result;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/** The job had not ended when the time to wait was over. It goes on, and may be waited for again. */
public final class JobWaitTimeoutException extends JobResultException {

    private static final long serialVersionUID = 1L;

    public JobWaitTimeoutException(long jobId, Duration timeout) {
        super(
                jobId,
                "job %d has not ended within %s: it goes on, and may be waited for again"
                        .formatted(jobId, DurationText.of(timeout)));
    }
}
