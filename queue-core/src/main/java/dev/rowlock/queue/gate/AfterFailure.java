package dev.rowlock.queue.gate;

import java.util.Locale;
import java.util.stream.Stream;

/** What becomes of the other jobs of a key, in a queue that runs them in order, when one of them is dead. */
public enum AfterFailure {

    /** They wait until somebody redrives, {@linkplain QueueLimits#skip skips} or discards the dead job. */
    HOLD,

    /** They go on. */
    CONTINUE,

    /** Those that were enqueued before it died and have not begun are cancelled; those that come later, or are redriven, run. */
    CANCEL_REST;

    /**
     * Reads a name in lower case, with hyphens.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static AfterFailure of(String label) {
        return Stream.of(values())
                .filter(value -> value.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("write hold, continue or cancel-rest"));
    }

    /** The name in the database and in configuration: lower case, with hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
