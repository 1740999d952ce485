package dev.rowlock.queue.internal.operate;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.operate.KindOfError;
import dev.rowlock.queue.search.JobFilter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Rows of the table {@code bulk_action}. */
final class BulkRow {

    /** What {@link #read} reads. */
    static final String COLUMNS =
            "id, kind, state, filter::text AS filter, error, who, why, counted, counted_all, done, refused, refusal, per_second, created_at,"
                    + " ended_at";

    // What a newer release has written may hold a condition that this one does not know: without it, too many jobs
    // would match. For the same reason nothing is written of conditions that are not there: an older release can read
    // what is.
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .changeDefaultPropertyInclusion(included -> included.withValueInclusion(JsonInclude.Include.NON_NULL))
            .changeDefaultVisibility(visible -> visible.withIsGetterVisibility(JsonAutoDetect.Visibility.NONE))
            .build();

    private BulkRow() {}

    static String json(JobFilter filter) {
        return MAPPER.writeValueAsString(filter);
    }

    /** Empty: another release has written it. */
    static Optional<JobFilter> filter(String json) {
        try {
            return Optional.of(MAPPER.readValue(json, JobFilter.class));
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
        int perSecond = row.getInt("per_second");
        Integer rate = row.wasNull() ? null : perSecond;
        return new BulkAction(
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
                rate,
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                instant(row.getObject("ended_at", OffsetDateTime.class)));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
