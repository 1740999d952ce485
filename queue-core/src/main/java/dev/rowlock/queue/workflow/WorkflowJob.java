package dev.rowlock.queue.workflow;

import org.jspecify.annotations.Nullable;

/**
 * A job of a step, or a nested workflow that a job of the step has started.
 *
 * @param id the job's id; for a nested workflow its id as a negative number, so that all have one order
 * @param workflow the nested workflow's id; null for a job
 */
public record WorkflowJob(long id, @Nullable Long workflow, String step, State state) {

    /** Its state, as of a moment ago. */
    public enum State {
        OPEN,
        /** Of a nested workflow: it has failed. */
        DEAD,
        COMPLETED,
        CANCELLED,
        SKIPPED
    }
}
