package dev.rowlock.queue;

import dev.rowlock.queue.internal.store.ErrorHistory;
import dev.rowlock.queue.internal.store.Headers;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Rows of the view {@code job_details} as values. */
final class JobRows {

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
                reason(row.getString("reason")),
                integer(row, "progress"),
                row.getString("progress_note"),
                row.getBoolean("cancel_requested"),
                row.getString("payload"),
                Headers.decode(row.getString("headers")),
                ErrorHistory.decode(row.getString("errors")),
                row.getString("result"));
    }

    DeadJob dead(ResultSet row) throws SQLException {
        return new DeadJob(
                row.getLong("id"),
                JobState.of(row.getString("state")),
                row.getString("queue"),
                row.getString("type"),
                row.getInt("priority"),
                row.getInt("attempt"),
                row.getInt("crashes"),
                required(instant(row, "enqueued_at")),
                required(instant(row, "died_at")),
                ErrorHistory.decodeOne(row.getString("last_error")));
    }

    private static @Nullable WaitReason reason(@Nullable String label) {
        return label == null ? null : WaitReason.of(label);
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
