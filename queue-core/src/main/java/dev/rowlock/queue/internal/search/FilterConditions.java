package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobFilter.Criterion;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Filters as SQL: one condition for each room in which jobs may match. */
public final class FilterConditions {

    /** What the names of parameters begin with. */
    private static final String NAMES = "filter_";

    private FilterConditions() {}

    /**
     * The conditions for the rooms where jobs may match.
     *
     * @throws IllegalArgumentException if the filter has no condition and is not {@link JobFilter#all}, or no job can match
     */
    public static List<RoomCondition> of(JobFilter filter) {
        return of(filter, EnumSet.allOf(SearchedRoom.class), "search");
    }

    /**
     * The conditions for those of these rooms where jobs may match.
     *
     * @param what is done with the jobs, for the error
     * @throws IllegalArgumentException if the filter has no condition and is not {@link JobFilter#all}, or no job of these rooms can match
     */
    public static List<RoomCondition> of(JobFilter filter, Set<SearchedRoom> rooms, String what) {
        if (filter.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s with a filter that has no condition: add one, or say JobFilter.all() if all jobs are meant"
                            .formatted(what));
        }
        List<RoomCondition> conditions = Stream.of(SearchedRoom.values())
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

    private static boolean mayHold(SearchedRoom room, JobFilter filter) {
        return (filter.states().isEmpty() || room.states().stream().anyMatch(filter.states()::contains))
                && room.times().keySet().containsAll(filter.times().keySet())
                && (filter.text(Criterion.NODE) == null || room.knowsNodes());
    }

    private static String labels(Set<SearchedRoom> rooms) {
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
        if (filter.text(Criterion.NODE) != null) {
            known.add("jobs in state %s have a node".formatted(labels(JobTime.STARTED.states().stream())));
        }
        return known.isEmpty() ? "name one of these" : String.join(", ", known);
    }

    /** A criterion as SQL, whose parameter has its name. The planner tries what costs least first, and else in this order. */
    private static String sql(Criterion criterion, SearchedRoom room) {
        return switch (criterion) {
            case QUEUE -> "queue = :filter_queue";
            case TYPE -> "type = :filter_type";
            case KEY -> "job_key = :filter_key";
            // Whoever asks for a unique key names its type, too.
            case UNIQUE_KEY ->
                "id = (SELECT k.job_id FROM rowlock.unique_key k WHERE k.type = :filter_type AND k.key = :filter_unique_key)";
            case NODE -> """
                    node_id IN (SELECT n.id FROM rowlock.node n WHERE n.name = :filter_node UNION ALL SELECT p.id FROM rowlock.past_node p WHERE p.name = :filter_node)""";
            case FINGERPRINT -> "(" + room.fingerprint() + ") = :filter_fingerprint";
            case ERROR_TYPE ->
                ":filter_error_type IN (errors -> -1 ->> 'type', substring(errors -> -1 ->> 'type' FROM '[^.]*$'))";
            case ERROR_TEXT ->
                "strpos(lower((errors -> -1 ->> 'message') COLLATE \"C\"), lower(:filter_error_text COLLATE \"C\")) > 0";
            case PAYLOAD -> """
                    rowlock.payload_matches(coalesce(payload, (SELECT p.payload FROM rowlock.payload p WHERE p.job_id = id)), :filter_payload::jsonpath)""";
        };
    }

    private static String name(String constant) {
        return constant.toLowerCase(Locale.ROOT);
    }

    /** One condition in the making. */
    private static final class Builder {

        private final SearchedRoom room;
        private final JobFilter filter;
        private final List<String> parts = new ArrayList<>();
        private final Map<String, Object> values = new HashMap<>();
        private int headers;

        Builder(SearchedRoom room, JobFilter filter) {
            this.room = room;
            this.filter = filter;
        }

        RoomCondition condition() {
            addStates();
            filter.times().forEach(this::addTime);
            filter.headers().forEach(this::addHeader);
            filter.texts().forEach((criterion, text) -> add(sql(criterion, room), name(criterion.name()), text));
            return new RoomCondition(room, parts.isEmpty() ? "true" : String.join(" AND ", parts), Map.copyOf(values));
        }

        private void addStates() {
            Set<JobState> wanted = filter.states();
            if (!wanted.isEmpty() && !wanted.containsAll(room.states())) {
                room.states().stream()
                        .filter(wanted::contains)
                        .map(JobState::label)
                        .forEach(state -> add("state = :filter_" + state, state, state));
            }
        }

        private void addTime(JobTime time, TimeRange range) {
            String column = Objects.requireNonNull(room.times().get(time));
            String name = name(time.name());
            addBound(column + " >= :filter_%s_from".formatted(name), name + "_from", range.from());
            addBound(column + " < :filter_%s_until".formatted(name), name + "_until", range.until());
        }

        private void addBound(String part, String name, @Nullable Instant bound) {
            if (bound != null) {
                add(part, name, bound.atOffset(ZoneOffset.UTC));
            }
        }

        private void addHeader(String header, String value) {
            String name = "header_" + headers++;
            values.put(NAMES + name + "_name", header);
            add("rowlock.header(headers, :filter_%1$s_name) = :filter_%1$s".formatted(name), name, value);
        }

        private void add(String part, String name, Object value) {
            parts.add(part);
            values.put(NAMES + name, value);
        }
    }

    /**
     * What a filter asks of the rows of one room: SQL to stand behind {@code WHERE} or {@code AND}, written for the schema {@code
     * rowlock}, made of fixed texts. It names columns without a table, so the room must be the only table around it. The plan depends on the values: it
     * is for a {@link dev.rowlock.queue.internal.db.ColdStatement}.
     *
     * @param sql a boolean expression that may stand beside {@code AND} as it is
     * @param values of its parameters, the same for all rooms of a filter; their names begin with {@code filter_}
     */
    public record RoomCondition(SearchedRoom room, String sql, Map<String, Object> values) {}
}
