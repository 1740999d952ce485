package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobTime;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** A room as searches see it: which states it holds, and which column has which time. */
public enum SearchedRoom {
    WAITING(Map.of(JobTime.ENQUEUED, "enqueued_at", JobTime.DUE, "due_at")),
    READY(Map.of(JobTime.ENQUEUED, "enqueued_at", JobTime.DUE, "ready_at")),
    RUNNING(Map.of(JobTime.ENQUEUED, "enqueued_at", JobTime.DUE, "ready_at", JobTime.STARTED, "claimed_at")),
    DONE(Map.of(JobTime.ENQUEUED, "enqueued_at", JobTime.STARTED, "claimed_at", JobTime.ENDED, "finished_at")),
    DEAD(Map.of(JobTime.ENQUEUED, "enqueued_at", JobTime.STARTED, "claimed_at", JobTime.ENDED, "died_at"));

    private final String table = name().toLowerCase(Locale.ROOT);
    private final Set<JobState> states = EnumSet.noneOf(JobState.class);
    private final Map<JobTime, String> times;

    SearchedRoom(Map<JobTime, String> times) {
        this.times = times;
        Arrays.stream(JobState.values())
                .filter(state -> state.room().equals(table))
                .forEach(states::add);
    }

    /** Its table, without the schema. */
    public String table() {
        return table;
    }

    Set<JobState> states() {
        return states;
    }

    /** When, as an expression; null where the room does not know. */
    String time(JobTime time) {
        return times.getOrDefault(time, "NULL::timestamptz");
    }

    /** The columns that hold times. */
    Map<JobTime, String> times() {
        return times;
    }

    boolean knowsNodes() {
        return times.containsKey(JobTime.STARTED);
    }

    /** The state of each row, as an expression. */
    String state() {
        return states.size() == 1 ? "'" + table + "'" : "state";
    }

    /** The fingerprint of each row's last error, as an expression. Only dead jobs have it at hand; of others, those without errors cost nothing. */
    String fingerprint() {
        return this == DEAD
                ? "fingerprint"
                : "CASE WHEN errors IS NOT NULL THEN rowlock.error_fingerprint(errors -> -1) END";
    }
}
