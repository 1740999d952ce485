package dev.rowlock.queue.gate;

import java.util.Locale;
import java.util.stream.Stream;

/** What the keys of a queue share equally, or by their weights, when they take turns. */
public enum ShareBy {

    /** As many jobs of each begin. */
    JOBS,

    /** Handlers work as long for each. Each node shares its own threads so, as of what it has run itself: after a restart it knows of none. */
    RUN_TIME;

    /**
     * Reads a name in lower case, with hyphens.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static ShareBy of(String label) {
        return Stream.of(values())
                .filter(value -> value.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("write jobs or run-time"));
    }

    /** The name in the database and in configuration: lower case, with hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
