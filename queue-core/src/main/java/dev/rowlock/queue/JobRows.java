package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.search.DeadGroup;
import dev.rowlock.queue.search.EndedJobs;
import dev.rowlock.queue.search.JobGlance;
import dev.rowlock.queue.search.JobSummary;
import dev.rowlock.queue.search.LogLine;
import dev.rowlock.queue.search.RetryGroup;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Rows of searches, and of the view {@code job_details}, as values. */
final class JobRows {

    private final Encryption encryption;
    private final ErrorHistory errors;

    JobRows(Encryption encryption) {
        this.encryption = encryption;
        this.errors = new ErrorHistory(encryption);
    }

    JobSummary summary(ResultSet row) throws SQLException {
        return new Summary(
                row.getLong("id"),
                JobState.of(row.getString("state")),
                row.getString("queue"),
                row.getString("type"),
                row.getString("title"),
                row.getString("job_key"),
                row.getString("unique_key"),
                row.getInt("priority"),
                row.getInt("attempt"),
                row.getInt("crashes"),
                required(instant(row, "enqueued_at")),
                instant(row, "due_at"),
                instant(row, "started_at"),
                instant(row, "ended_at"),
                number(row, "node_id"),
                integer(row, "progress"),
                errors.decodeOne(row.getLong("id"), row.getString("last_error")),
                row.getString("fingerprint"),
                encryption.shown(Part.PAYLOAD, row.getString("type"), row.getString("payload")));
    }

    JobDetails details(ResultSet row) throws SQLException {
        Long timeout = number(row, "timeout_millis");
        return new Details(
                row.getLong("id"),
                JobState.of(row.getString("state")),
                row.getString("queue"),
                row.getString("type"),
                Headers.title(row.getString("headers")),
                row.getString("job_key"),
                Headers.uniqueKey(row.getString("headers")),
                row.getInt("priority"),
                row.getInt("attempt"),
                row.getInt("crashes"),
                integer(row, "max_retries"),
                timeout == null ? null : Duration.ofMillis(timeout),
                required(instant(row, "enqueued_at")),
                instant(row, "due_at"),
                instant(row, "claimed_at"),
                instant(row, "deadline"),
                instant(row, "ended_at"),
                number(row, "node_id"),
                reason(row.getString("reason")),
                integer(row, "progress"),
                row.getString("progress_note"),
                row.getBoolean("cancel_requested"),
                Objects.requireNonNullElse(
                        encryption.shown(Part.PAYLOAD, row.getString("type"), row.getString("payload")), "null"),
                Headers.decode(row.getString("headers")),
                errors.decode(row.getLong("id"), row.getString("errors")),
                encryption.shown(Part.RESULT, row.getLong("id"), row.getString("result")));
    }

    LogLine logLine(ResultSet row) throws SQLException {
        return new LogLine(
                required(instant(row, "at")), row.getInt("attempt"), row.getLong("token"), row.getString("text"));
    }

    JobGlance glance(ResultSet row) throws SQLException {
        return new JobGlance(
                row.getLong("id"),
                JobState.of(row.getString("state")),
                row.getString("type"),
                row.getInt("attempt"),
                integer(row, "progress"),
                row.getString("progress_note"));
    }

    DeadGroup group(ResultSet row) throws SQLException {
        return new Dead(
                row.getString("fingerprint"),
                row.getLong("jobs"),
                row.getString("type"),
                row.getString("error_type"),
                message(row),
                row.getString("thrown_by"),
                required(instant(row, "first_died_at")),
                required(instant(row, "last_died_at")),
                row.getLong("newest"),
                trend(row));
    }

    RetryGroup retryGroup(ResultSet row) throws SQLException {
        return new Retried(
                row.getString("fingerprint"),
                row.getLong("jobs"),
                row.getString("type"),
                row.getString("error_type"),
                message(row),
                row.getString("thrown_by"),
                required(instant(row, "first_failed_at")),
                required(instant(row, "last_failed_at")),
                required(instant(row, "last_due_at")),
                row.getLong("newest"),
                trend(row));
    }

    private String message(ResultSet row) throws SQLException {
        FailedAttempt newest = errors.decodeOne(row.getLong("newest"), row.getString("newest_error"));
        return newest == null ? "" : newest.message();
    }

    private static List<Long> trend(ResultSet row) throws SQLException {
        return List.of((Long[]) row.getArray("trend").getArray());
    }

    EndedJobs ended(ResultSet row) throws SQLException {
        return new EndedJobs(
                required(instant(row, "step")),
                row.getString("queue"),
                row.getString("type"),
                row.getLong("completed"),
                row.getLong("cancelled"));
    }

    EndedJobs.OfQueue endedOfQueue(ResultSet row) throws SQLException {
        return new EndedJobs.OfQueue(
                required(instant(row, "step")),
                row.getString("queue"),
                row.getLong("completed"),
                row.getLong("cancelled"));
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

    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : value;
    }

    private static @Nullable Integer integer(ResultSet row, String column) throws SQLException {
        int value = row.getInt(column);
        return row.wasNull() ? null : value;
    }

    private record Summary(
            long id,
            JobState state,
            String queue,
            String type,
            @Nullable String title,
            @Nullable String key,
            @Nullable String uniqueKey,
            int priority,
            int attempt,
            int crashes,
            Instant enqueuedAt,
            @Nullable Instant dueAt,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            @Nullable Long nodeId,
            @Nullable Integer progress,
            @Nullable FailedAttempt lastError,
            @Nullable String fingerprint,
            @Nullable String payload)
            implements JobSummary {

        /** For logs: no payload. */
        @Override
        public String toString() {
            return "job %d (%s) of queue '%s': %s, attempt %d".formatted(id, type, queue, state.label(), attempt);
        }
    }

    private record Details(
            long id,
            JobState state,
            String queue,
            String type,
            @Nullable String title,
            @Nullable String key,
            @Nullable String uniqueKey,
            int priority,
            int attempt,
            int crashes,
            @Nullable Integer maxRetries,
            @Nullable Duration timeout,
            Instant enqueuedAt,
            @Nullable Instant dueAt,
            @Nullable Instant claimedAt,
            @Nullable Instant deadline,
            @Nullable Instant endedAt,
            @Nullable Long nodeId,
            @Nullable WaitReason waitReason,
            @Nullable Integer progress,
            @Nullable String progressNote,
            boolean cancelRequested,
            String payload,
            Map<String, String> headers,
            List<FailedAttempt> errors,
            @Nullable String result)
            implements JobDetails {

        /** For logs: neither payload, headers nor result. */
        @Override
        public String toString() {
            return "job %d (%s) of queue '%s': %s, attempt %d".formatted(id, type, queue, state.label(), attempt);
        }
    }

    private record Dead(
            String fingerprint,
            long jobs,
            String type,
            String errorType,
            String message,
            String thrownBy,
            Instant firstDiedAt,
            Instant lastDiedAt,
            long newestJob,
            List<Long> trend)
            implements DeadGroup {}

    private record Retried(
            String fingerprint,
            long jobs,
            String type,
            String errorType,
            String message,
            String thrownBy,
            Instant firstFailedAt,
            Instant lastFailedAt,
            Instant lastDueAt,
            long newestJob,
            List<Long> trend)
            implements RetryGroup {}
}
