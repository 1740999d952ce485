package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Filters as SQL: one condition for each room in which jobs may match. */
public final class FilterConditions {

    private static final String LAST_ERROR = "errors -> -1";

    private FilterConditions() {}

    /**
     * The conditions for the rooms where jobs may match.
     *
     * @throws IllegalArgumentException if the filter has no condition and is not {@link JobFilter#all}, or no job can match
     */
    public static List<RoomCondition> of(JobFilter filter) {
        return of(filter, EnumSet.allOf(Room.class), "search");
    }

    /**
     * The conditions for those of these rooms where jobs may match.
     *
     * @param what is done with the jobs, for the error
     * @throws IllegalArgumentException if the filter has no condition and is not {@link JobFilter#all}, or no job of these rooms can match
     */
    public static List<RoomCondition> of(JobFilter filter, Set<Room> rooms, String what) {
        if (filter.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s with a filter that has no condition: add one, or say JobFilter.all() if all jobs are meant"
                            .formatted(what));
        }
        List<RoomCondition> conditions = Stream.of(Room.values())
                .filter(rooms::contains)
                .filter(room -> mayHold(room, filter))
                .map(room -> new Builder(room, filter).condition())
                .toList();
        if (conditions.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s with a filter that no job can meet: %s. It looks at jobs in state %s; %s"
                            .formatted(what, filter, labels(rooms), knownTimes(filter)));
        }
        return conditions;
    }

    private static boolean mayHold(Room room, JobFilter filter) {
        return (filter.states().isEmpty() || room.states().stream().anyMatch(filter.states()::contains))
                && room.times().keySet().containsAll(filter.times().keySet())
                && (filter.node() == null || room.knowsNodes());
    }

    private static String labels(Set<Room> rooms) {
        return labels(rooms.stream().flatMap(room -> room.states().stream()));
    }

    private static String labels(Stream<JobState> states) {
        return states.sorted().map(JobState::label).toList().toString();
    }

    private static String knownTimes(JobFilter filter) {
        List<String> known = new ArrayList<>();
        for (JobTime time : filter.times().keySet()) {
            known.add("jobs in state %s have the time '%s'".formatted(labels(time.states().stream()), time.label()));
        }
        if (filter.node() != null) {
            known.add("jobs in state %s have a node".formatted(labels(JobTime.STARTED.states().stream())));
        }
        return known.isEmpty() ? "name one of these" : String.join(", ", known);
    }

    /** One condition in the making. */
    private static final class Builder {

        private final Room room;
        private final JobFilter filter;
        private final List<String> parts = new ArrayList<>();
        private final List<Object> values = new ArrayList<>();

        Builder(Room room, JobFilter filter) {
            this.room = room;
            this.filter = filter;
        }

        RoomCondition condition() {
            addState();
            add("queue = ?", filter.queue());
            add("type = ?", filter.type());
            add("job_key = ?", filter.key());
            addUniqueKey();
            filter.times().forEach(this::addTime);
            addNode();
            add("(" + room.fingerprint() + ") = ?", filter.fingerprint());
            add(
                    "? IN (%1$s ->> 'type', substring(%1$s ->> 'type' FROM '[^.]*$'))".formatted(LAST_ERROR),
                    filter.errorType());
            add(
                    "strpos(lower((%s ->> 'message') COLLATE \"C\"), lower(? COLLATE \"C\")) > 0".formatted(LAST_ERROR),
                    filter.errorText());
            filter.headers().forEach((key, value) -> add("rowlock.header(headers, ?) = ?", key, value));
            add("""
                    rowlock.payload_matches(coalesce(payload, (SELECT p.payload FROM rowlock.payload p WHERE p.job_id = id)), ?::jsonpath)""", filter.payload());
            return new RoomCondition(room, parts.isEmpty() ? "true" : String.join(" AND ", parts), List.copyOf(values));
        }

        private void addState() {
            Set<JobState> wanted = filter.states();
            if (!wanted.isEmpty() && !wanted.containsAll(room.states())) {
                room.states().stream().filter(wanted::contains).forEach(state -> add("state = ?", state.label()));
            }
        }

        private void addUniqueKey() {
            if (filter.uniqueKey() != null) {
                add(
                        "id = (SELECT k.job_id FROM rowlock.unique_key k WHERE k.type = ? AND k.key = ?)",
                        filter.type(),
                        filter.uniqueKey());
            }
        }

        private void addTime(JobTime time, TimeRange range) {
            String column = Objects.requireNonNull(room.times().get(time));
            addBound(column + " >= ?", range.from());
            addBound(column + " < ?", range.until());
        }

        private void addBound(String part, @Nullable Instant bound) {
            if (bound != null) {
                parts.add(part);
                values.add(bound.atOffset(ZoneOffset.UTC));
            }
        }

        private void addNode() {
            if (filter.node() != null) {
                add("""
                        node_id IN (SELECT n.id FROM rowlock.node n WHERE n.name = ? UNION ALL SELECT p.id FROM rowlock.past_node p WHERE p.name = ?)""", filter.node(), filter.node());
            }
        }

        /** Adds nothing for null. */
        private void add(String part, @Nullable String... of) {
            if (of[0] != null) {
                parts.add(part);
                values.addAll(Arrays.asList(of));
            }
        }
    }
}
