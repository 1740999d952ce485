package dev.rowlock.queue.workflow;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/** The workflow did not end within the timeout. It continues, and a caller may wait for it again. */
public final class WorkflowWaitTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long workflow;

    public WorkflowWaitTimeoutException(long workflow, Duration timeout) {
        super("workflow %d has not ended within %s: it goes on, and may be waited for again"
                .formatted(workflow, DurationText.of(timeout)));
        this.workflow = workflow;
    }

    /** The workflow's id. */
    public long workflow() {
        return workflow;
    }
}
