package dev.rowlock.queue.workflow;

import java.util.Locale;

/** What must have become of a step before another one runs. A step has succeeded when all of its jobs have completed. */
public enum RunsAfter {

    /** It succeeded. As soon as one of its jobs fails for good or is cancelled, the jobs of the later step are cancelled. */
    SUCCESS,

    /**
     * It succeeded. If one of its jobs fails for good, the later step goes on waiting until somebody redrives that job. It is skipped if nobody can: the job was
     * cancelled, or is not there any more.
     */
    SUCCESS_OR_HOLD,

    /** All of its jobs have ended, whatever became of them. */
    END,

    /** One of its jobs failed for good or was cancelled. If none did, the jobs of the later step are cancelled. */
    FAILURE;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** The name in the database: lower case, with hyphens. */
    public String label() {
        return label;
    }

    /** The one with this {@link #label()}. */
    public static RunsAfter of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
