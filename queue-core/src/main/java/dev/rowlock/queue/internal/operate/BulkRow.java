package dev.rowlock.queue.internal.operate;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.KindOfError;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobFilter.Criterion;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Rows of the table {@code bulk_action}. */
final class BulkRow {

    /** What {@link #read} reads. */
    static final String COLUMNS =
            "id, kind, state, filter::text AS filter, error, who, why, counted, counted_all, done, refused, refusal, per_second, created_at,"
                    + " ended_at";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .changeDefaultPropertyInclusion(included -> included.withValueInclusion(JsonInclude.Include.NON_NULL))
            .build();

    /**
     * A filter as the table has it.
     *
     * @param texts by the label of their criterion, beside the others. What a newer release has written may hold one that this one does
     *     not know: without it, too many jobs would match, so the filter is refused
     */
    private record StoredFilter(
            boolean everything,
            Set<JobState> states,
            Map<String, String> headers,
            Map<JobTime, TimeRange> times,
            @JsonAnyGetter @JsonAnySetter Map<String, String> texts) {

        static StoredFilter of(JobFilter filter) {
            Map<String, String> texts = new LinkedHashMap<>();
            filter.texts().forEach((criterion, text) -> texts.put(criterion.label(), text));
            return new StoredFilter(filter.everything(), filter.states(), filter.headers(), filter.times(), texts);
        }

        JobFilter filter() {
            JobFilter filter = everything ? JobFilter.all() : JobFilter.where();
            filter = states.isEmpty() ? filter : filter.states(states);
            Map<String, String> unread = new HashMap<>(texts);
            for (Criterion criterion : Criterion.values()) {
                String text = unread.remove(criterion.label());
                filter = text == null ? filter : filter.with(criterion, text);
            }
            for (Map.Entry<String, String> header : headers.entrySet()) {
                filter = filter.header(header.getKey(), header.getValue());
            }
            for (Map.Entry<JobTime, TimeRange> time : times.entrySet()) {
                filter = filter.time(time.getKey(), time.getValue());
            }
            if (!unread.isEmpty()) {
                throw new IllegalArgumentException("unknown conditions: " + unread.keySet());
            }
            return filter;
        }
    }

    private BulkRow() {}

    static String json(JobFilter filter) {
        return MAPPER.writeValueAsString(StoredFilter.of(filter));
    }

    /** Empty: another release has written it. */
    static Optional<JobFilter> filter(String json) {
        try {
            return Optional.of(MAPPER.readValue(json, StoredFilter.class).filter());
        } catch (JacksonException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static @Nullable String json(@Nullable KindOfError error) {
        return error == null ? null : MAPPER.writeValueAsString(error);
    }

    static @Nullable KindOfError error(@Nullable String json) {
        return json == null ? null : MAPPER.readValue(json, KindOfError.class);
    }

    /** Null: another release has made it, of a kind that this one does not know. */
    private static BulkAction.@Nullable Kind kind(String text) {
        return Arrays.stream(BulkAction.Kind.values())
                .filter(kind -> kind.name().equalsIgnoreCase(text))
                .findAny()
                .orElse(null);
    }

    /** Null: it is of a kind that this release does not know. */
    static @Nullable BulkAction read(ResultSet row) throws SQLException {
        BulkAction.Kind kind = kind(row.getString("kind"));
        if (kind == null) {
            return null;
        }
        String filter = row.getString("filter");
        return new Action(
                row.getLong("id"),
                kind,
                BulkAction.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                filter(filter).map(JobFilter::toString).orElse(filter),
                error(row.getString("error")),
                row.getString("who"),
                row.getString("why"),
                row.getLong("counted"),
                row.getBoolean("counted_all"),
                row.getLong("done"),
                row.getLong("refused"),
                row.getString("refusal"),
                Columns.integer(row, row.findColumn("per_second")),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                Columns.instant(row, row.findColumn("ended_at")));
    }

    private record Action(
            long id,
            BulkAction.Kind kind,
            BulkAction.State state,
            String filter,
            @Nullable KindOfError error,
            String who,
            @Nullable String why,
            long counted,
            boolean countedAll,
            long done,
            long refused,
            @Nullable String refusal,
            @Nullable Integer perSecond,
            Instant createdAt,
            @Nullable Instant endedAt)
            implements BulkAction {}
}
