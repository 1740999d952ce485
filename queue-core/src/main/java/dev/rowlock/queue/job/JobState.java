package dev.rowlock.queue.job;

import java.util.Locale;

/**
 * Where a job is. The first three are the live rooms; {@link #COMPLETED} and {@link #CANCELLED} share the room
 * {@code done}, {@link #DEAD} and {@link #QUARANTINED} the room {@code dead}.
 */
public enum JobState {
    /** Not runnable yet: due later, or behind a closed gate. */
    WAITING("waiting"),
    /** Runnable now. */
    READY("ready"),
    /** Claimed by a node. */
    RUNNING("running"),
    /** Its listener returned. */
    COMPLETED("done"),
    /** Cancelled before it could complete. */
    CANCELLED("done"),
    /** Its last allowed attempt failed, or failed in a way that is not retried. A search for dead jobs of any kind names {@link #QUARANTINED}, too. */
    DEAD("dead"),
    /** It brought down its nodes too often: dead, too, but in a state of its own, so that nobody redrives it by chance. */
    QUARANTINED("dead");

    private final String room;
    private final String label = name().toLowerCase(Locale.ROOT);

    JobState(String room) {
        this.room = room;
    }

    /** The table that holds jobs in this state. */
    public String room() {
        return room;
    }

    /** Whether the job may still run without anybody's help. */
    public boolean live() {
        return this == WAITING || this == READY || this == RUNNING;
    }

    /** The name in the database, in URLs and in meter tags: lower case. */
    public String label() {
        return label;
    }

    /** The state with this {@link #label()}; an {@link IllegalArgumentException} names the valid ones. */
    public static JobState of(String label) {
        for (JobState state : values()) {
            if (state.label().equals(label)) {
                return state;
            }
        }
        throw new IllegalArgumentException("'%s' is no state of a job; the states are %s"
                .formatted(
                        label,
                        java.util.Arrays.stream(values()).map(JobState::label).toList()));
    }
}
