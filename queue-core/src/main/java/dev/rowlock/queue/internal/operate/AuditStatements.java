package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.AuditFilter;
import dev.rowlock.queue.operate.KindOfError;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the audit, newest first, in the caller's transaction if there is one, and removes what is old. Thread-safe. */
public final class AuditStatements {

    /** Of {@code audit AS a LEFT JOIN bulk_action AS b}. */
    private static final String COLUMNS =
            "a.id, a.at, a.who, a.why, a.action, a.subject, a.detail, a.jobs, a.refused, a.refusal, b.error, a.bulk_action_id";

    /** Reads a page of the audit, newest first. */
    private static final String PAGE = """
            SELECT %s
              FROM rowlock.audit AS a LEFT JOIN rowlock.bulk_action AS b ON b.id = a.bulk_action_id
             WHERE a.id < :before
               AND (:who::text IS NULL OR a.who = :who) AND (:action::text IS NULL OR a.action = :action)
               AND (:subject::text IS NULL OR strpos(lower(a.subject), lower(:subject COLLATE "C")) > 0)
               AND (a.bulk_action_id IS NULL OR NOT :without_bulk)
               AND a.at >= coalesce(:from::timestamptz, '-infinity') AND a.at < coalesce(:until::timestamptz, 'infinity')
             ORDER BY a.id DESC LIMIT :limit
            """.formatted(COLUMNS);

    /**
     * Reads the audit lines that may concern a job. The index by time finds the lines that are no older than the job. Which jobs a bulk action
     * moved is written nowhere: so those come that were asked for after the job was enqueued, and whose filter does not rule it out.
     */
    private static final String OF_JOB = """
            (SELECT %1$s
               FROM rowlock.audit AS a LEFT JOIN rowlock.bulk_action AS b ON false
              WHERE a.at >= :enqueued_at::timestamptz AND a.subject = 'job ' || :id::bigint AND a.bulk_action_id IS NULL
              ORDER BY a.id DESC LIMIT :limit)
            UNION ALL
            (SELECT %1$s
               FROM rowlock.audit AS a JOIN rowlock.bulk_action AS b ON b.id = a.bulk_action_id
              WHERE a.at >= :enqueued_at::timestamptz AND b.last_id > :id
                AND coalesce(b.filter ->> 'queue' = :queue, true)
                AND coalesce(b.filter ->> 'type' = :type, true)
                AND (b.filter ->> 'key' IS NULL OR b.filter ->> 'key' = :key)
                AND (b.filter ->> 'fingerprint' IS NULL
                     OR b.filter ->> 'fingerprint' IN (SELECT rowlock.error_fingerprint(e.error)
                                                         FROM rowlock.jobs_by_id(ARRAY[:id::bigint]) AS j, jsonb_array_elements(j.errors) AS e (error)))
              ORDER BY a.id DESC LIMIT :limit)
            ORDER BY 1 DESC LIMIT :limit
            """.formatted(COLUMNS);

    private static final String REMOVE_OLD = """
            WITH old_audit AS (
                DELETE FROM rowlock.audit
                 WHERE ctid = ANY (ARRAY(
                       SELECT a.ctid FROM rowlock.audit a
                        WHERE a.at < statement_timestamp() - :millis * interval '1 ms'
                          AND NOT EXISTS (SELECT FROM rowlock.bulk_action b WHERE b.id = a.bulk_action_id AND b.state = 'running')
                        ORDER BY a.at LIMIT :limit
                          FOR UPDATE SKIP LOCKED))
                RETURNING 1
            ), old_action AS (
                DELETE FROM rowlock.bulk_action
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.bulk_action WHERE ended_at < statement_timestamp() - :millis * interval '1 ms'
                        ORDER BY id LIMIT :limit
                          FOR UPDATE SKIP LOCKED))
                RETURNING 1
            )
            SELECT greatest((SELECT count(*) FROM old_audit), (SELECT count(*) FROM old_action))
            """;

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final Database database;

    public AuditStatements(Database database) {
        this.database = database;
    }

    /** Lines with smaller ids than this one. */
    public List<AuditEntry> page(AuditFilter filter, long before, int limit) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(PAGE))
                .set("before", before)
                .set("who", filter.who())
                .set("action", filter.action())
                .set("subject", filter.subject())
                .set("without_bulk", filter.withoutBulk())
                .set("from", text(filter.from()))
                .set("until", text(filter.until()))
                .set("limit", limit)
                .list(AuditStatements::entry));
    }

    /** A job of which the audit is asked. */
    public record Subject(
            long id,
            Instant enqueuedAt,
            String queue,
            String type,
            @Nullable String key) {}

    /** Lines that may concern a job. */
    public List<AuditEntry> ofJob(Subject job, int limit) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(OF_JOB))
                .set("id", job.id())
                .set("enqueued_at", job.enqueuedAt().toString())
                .set("queue", job.queue())
                .set("type", job.type())
                .set("key", job.key())
                .set("limit", limit)
                .list(AuditStatements::entry));
    }

    /** Removes old lines, and bulk actions that ended long ago, by itself. Returns how many rows the table lost that lost most. */
    public int removeOld(Duration age, int limit) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(REMOVE_OLD))
                .set("millis", age.toMillis())
                .set("limit", limit)
                .only(row -> row.getInt(1)));
    }

    /** The server knows no times beyond these, and the audit has none. */
    private static @Nullable String text(@Nullable Instant time) {
        if (time == null) {
            return null;
        }
        return time.isBefore(EARLIEST) ? "-infinity" : time.isAfter(LATEST) ? "infinity" : time.toString();
    }

    private static AuditEntry entry(ResultSet row) throws SQLException {
        return new Line(
                row.getLong("id"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("who"),
                row.getString("why"),
                row.getString("action"),
                row.getString("subject"),
                row.getString("detail"),
                row.getLong("jobs"),
                row.getLong("refused"),
                row.getString("refusal"),
                BulkRow.error(row.getString("error")),
                row.getObject("bulk_action_id", Long.class));
    }

    private record Line(
            long id,
            Instant at,
            String who,
            @Nullable String why,
            String action,
            String subject,
            @Nullable String detail,
            long jobs,
            long refused,
            @Nullable String refusal,
            @Nullable KindOfError error,
            @Nullable Long bulkActionId)
            implements AuditEntry {}
}
