package dev.rowlock.queue;

import dev.rowlock.queue.JobDetails.FailedAttempt;
import dev.rowlock.queue.internal.store.Headers;
import dev.rowlock.queue.job.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Rows of the view {@code job} as values. */
final class JobRows {

    /** For our own documents; payloads stay text. */
    private final JsonMapper json = JsonMapper.builder().build();

    JobSummary summary(ResultSet row) throws SQLException {
        return new JobSummary(
                row.getLong("id"),
                JobState.of(row.getString("state")),
                row.getString("queue"),
                row.getString("type"),
                row.getInt("priority"),
                row.getInt("attempt"),
                required(instant(row, "enqueued_at")),
                instant(row, "due_at"),
                instant(row, "ended_at"),
                integer(row, "progress"),
                row.getString("last_error"));
    }

    JobDetails details(ResultSet row) throws SQLException {
        long timeout = row.getLong("timeout_millis");
        Duration timeoutOrNull = row.wasNull() ? null : Duration.ofMillis(timeout);
        long node = row.getLong("node_id");
        Long nodeOrNull = row.wasNull() ? null : node;
        return new JobDetails(
                row.getLong("id"),
                JobState.of(row.getString("state")),
                row.getString("queue"),
                row.getString("type"),
                row.getInt("priority"),
                row.getInt("attempt"),
                row.getInt("crashes"),
                integer(row, "max_retries"),
                timeoutOrNull,
                required(instant(row, "enqueued_at")),
                instant(row, "due_at"),
                instant(row, "claimed_at"),
                instant(row, "deadline"),
                instant(row, "ended_at"),
                nodeOrNull,
                row.getString("reason"),
                integer(row, "progress"),
                row.getString("progress_note"),
                row.getBoolean("cancel_requested"),
                row.getString("payload"),
                Headers.decode(row.getString("headers")),
                errors(row.getString("errors")),
                row.getString("result"));
    }

    private List<FailedAttempt> errors(@Nullable String document) {
        List<FailedAttempt> errors = new ArrayList<>();
        if (document != null) {
            for (JsonNode error : json.readTree(document)) {
                errors.add(new FailedAttempt(
                        error.path("attempt").asInt(),
                        OffsetDateTime.parse(error.path("at").asString()).toInstant(),
                        error.path("type").asString(),
                        error.path("message").asString(),
                        error.path("trace").asString()));
            }
        }
        return List.copyOf(errors);
    }

    private static Instant required(@Nullable Instant value) throws SQLException {
        if (value == null) {
            throw new SQLException("a column that is never null was null: is the schema Rowlock's own?");
        }
        return value;
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    private static @Nullable Integer integer(ResultSet row, String column) throws SQLException {
        int value = row.getInt(column);
        return row.wasNull() ? null : value;
    }
}
