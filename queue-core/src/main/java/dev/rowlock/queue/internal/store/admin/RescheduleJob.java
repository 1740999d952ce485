package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.BegunJobs;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Due;
import java.sql.PreparedStatement;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;

/** Lets a job that has not begun wait until another time. */
public final class RescheduleJob {

    // One of the two finds the job: a snapshot sees it in one room. A job with a key that has begun keeps its reason:
    // in strict order, the others of its key wait for it.
    private static final String SQL =
            """
            WITH wanted AS (
                SELECT coalesce(at, statement_timestamp() + delay_millis * interval '1 ms') AS due_at,
                       CASE WHEN at IS NULL THEN statement_timestamp() END AS since
                  FROM (SELECT ?::timestamptz, ?::bigint) AS given (at, delay_millis)
            ), put_off AS (
                UPDATE rowlock.waiting SET due_at = wanted.due_at, since = wanted.since,
                       reason = CASE WHEN job_key IS NOT NULL AND %s THEN reason ELSE 'scheduled' END
                  FROM wanted WHERE id = ?
                RETURNING id
            ), alone AS (
                -- It waits for this time now, and no longer for the end of another job.
                DELETE FROM rowlock.once_more WHERE job_id = ANY (ARRAY(SELECT id FROM put_off))
            ), back AS (
                DELETE FROM rowlock.ready WHERE id = ?
                RETURNING *
            ), moved AS (
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, since, timeout_millis, rank, attempt, crashes, max_retries,
                                             reason, queue, job_key, type, payload, headers, errors)
                SELECT id, wanted.due_at, enqueued_at, wanted.since, timeout_millis, rank, attempt, crashes, max_retries,
                       CASE WHEN job_key IS NULL THEN 'scheduled' WHEN crashes > 0 THEN 'crash' WHEN attempt > 0 THEN 'retry' ELSE 'scheduled' END,
                       queue, job_key, type, payload, headers, errors
                  FROM back, wanted
                RETURNING id
            ), changed AS (
                TABLE put_off UNION ALL TABLE moved
            )
            """.formatted(BegunJobs.waiting("waiting")) + AuditNote.of("changed") + "SELECT count(*) FROM changed";

    private final Database database;
    private final String sql;

    public RescheduleJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Joins the caller's transaction. Returns whether the job was waiting or ready. */
    public boolean run(long id, Due due, AuditNote note) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                Instant at = due.at();
                Duration after = due.after();
                statement.setObject(1, at == null ? null : at.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
                statement.setObject(2, after == null ? null : after.toMillis(), Types.BIGINT);
                statement.setLong(3, id);
                statement.setLong(4, id);
                AuditNote.set(statement, 5, note);
                return Affected.any(statement);
            }
        });
    }
}
