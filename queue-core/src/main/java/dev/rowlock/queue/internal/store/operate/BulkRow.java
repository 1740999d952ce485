package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Rows of the table {@code bulk_action}. */
final class BulkRow {

    /** What {@link #read} reads. */
    static final String COLUMNS =
            "id, kind, state, filter::text AS filter, who, why, counted, counted_all, done, refused, refusal, per_second, created_at,"
                    + " ended_at";

    private static final JsonMapper MAPPER = JsonMapper.shared();

    private BulkRow() {}

    static String json(JobFilter filter) {
        return MAPPER.writeValueAsString(filter);
    }

    static JobFilter filter(String json) {
        return MAPPER.readValue(json, JobFilter.class);
    }

    static BulkAction read(ResultSet row) throws SQLException {
        int perSecond = row.getInt("per_second");
        Integer rate = row.wasNull() ? null : perSecond;
        return new BulkAction(
                row.getLong("id"),
                BulkAction.Kind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                BulkAction.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                filter(row.getString("filter")).toString(),
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
