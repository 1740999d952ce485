package dev.rowlock.queue.workflow;

import org.jspecify.annotations.Nullable;

/**
 * A job of a step, or a workflow that a job of the step has started.
 *
 * @param id the job's id; for a workflow minus its id, so that they have an order
 * @param workflow the workflow's id; null for a job
 */
public record WorkflowJob(long id, @Nullable Long workflow, String step, State state) {

    /** What became of it, a moment ago. */
    public enum State {
        OPEN,
        FAILED,
        COMPLETED,
        CANCELLED,
        SKIPPED
    }
}
