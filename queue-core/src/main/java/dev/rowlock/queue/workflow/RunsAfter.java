package dev.rowlock.queue.workflow;

import java.util.Locale;

/** When a step runs after another one. A step has completed when all of its jobs have. */
public enum RunsAfter {

    /** After its success. As soon as one of its jobs is dead or cancelled, the later step is skipped: its jobs are cancelled. */
    SUCCESS,

    /**
     * After its success. If one of its jobs is dead, the later step waits until somebody redrives that job. The later step is skipped if nobody can:
     * the job was cancelled, or is not there any more.
     */
    SUCCESS_OR_HOLD,

    /** After all of its jobs have ended: completed, dead, cancelled or skipped. */
    END,

    /** As soon as one of its jobs is dead, cancelled or skipped. If all of them complete, the later step is skipped. */
    FAILURE;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The name in the database: lower case, with hyphens. */
    public String label() {
        return label;
    }

    /** Returns the value with this {@link #label()}. */
    public static RunsAfter of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
