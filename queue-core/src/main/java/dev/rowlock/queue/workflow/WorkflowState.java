package dev.rowlock.queue.workflow;

import java.util.Locale;

/** The state of a workflow. */
public enum WorkflowState {
    /** Some of its jobs have not ended, or one of its steps is open. */
    RUNNING,
    /** Somebody has cancelled it, and some of its jobs have not ended. */
    CANCELLING,
    /** All its jobs have completed, except for those that were skipped because nothing failed. */
    COMPLETED,
    /** All its jobs have ended, and some of them are dead or were cancelled. A redrive of a dead job lets it continue. */
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
