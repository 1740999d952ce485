package dev.rowlock.queue.workflow;

import java.util.Locale;

/** How a workflow does. */
public enum WorkflowState {
    /** Some of its jobs have not ended, or one of its steps is open. */
    RUNNING,
    /** Somebody cancelled it, and some of its jobs run on. */
    CANCELLING,
    /** All its jobs have completed, or were skipped because nothing failed. */
    SUCCEEDED,
    /** All its jobs have ended, and some of them failed for good or were cancelled. A redrive lets it run on. */
    FAILED,
    /** It was cancelled, and all its jobs have ended. */
    CANCELLED;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** The name in the database: lower case. */
    public String label() {
        return label;
    }

    /** The state with this {@link #label()}. */
    public static WorkflowState of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }
}
