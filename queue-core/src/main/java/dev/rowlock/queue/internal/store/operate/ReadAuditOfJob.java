package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.operate.AuditEntry;
import java.sql.PreparedStatement;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines of the audit that may concern one job, newest first. The index by time finds those that are no older than the job. Which jobs a bulk action moved
 * is written nowhere: so those come that were asked for after the job was enqueued, and whose filter does not rule it out. Reads the caller's transaction
 * if there is one.
 */
public final class ReadAuditOfJob {

    private static final String SQL = """
            (SELECT %1$s
               FROM rowlock.audit AS a LEFT JOIN rowlock.bulk_action AS b ON false
              WHERE a.at >= ?::timestamptz AND a.subject = ? AND a.bulk_action_id IS NULL
              ORDER BY a.id DESC LIMIT ?)
            UNION ALL
            (SELECT %1$s
               FROM rowlock.audit AS a JOIN rowlock.bulk_action AS b ON b.id = a.bulk_action_id
              WHERE a.at >= ?::timestamptz AND b.last_id > ?
                AND coalesce(b.filter ->> 'queue' = ?, true)
                AND coalesce(b.filter ->> 'type' = ?, true)
                AND (b.filter ->> 'key' IS NULL OR b.filter ->> 'key' = ?)
                AND (b.filter ->> 'fingerprint' IS NULL
                     OR b.filter ->> 'fingerprint' IN (SELECT rowlock.error_fingerprint(e.error)
                                                         FROM rowlock.jobs_by_id(ARRAY[?::bigint]) AS j, jsonb_array_elements(j.errors) AS e (error)))
              ORDER BY a.id DESC LIMIT ?)
            ORDER BY 1 DESC LIMIT ?
            """.formatted(AuditRow.COLUMNS);

    private final Database database;

    public ReadAuditOfJob(Database database) {
        this.database = database;
    }

    /** @param since when it was enqueued */
    public record Job(
            long id,
            Instant since,
            String queue,
            String type,
            @Nullable String key) {}

    public List<AuditEntry> run(Job job, int limit) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, database.sql(SQL))) {
                String since = job.since().toString();
                statement.setString(1, since);
                statement.setString(2, "job " + job.id());
                statement.setInt(3, limit);
                statement.setString(4, since);
                statement.setLong(5, job.id());
                statement.setString(6, job.queue());
                statement.setString(7, job.type());
                statement.setString(8, job.key());
                statement.setLong(9, job.id());
                statement.setInt(10, limit);
                statement.setInt(11, limit);
                return AuditRow.all(statement);
            }
        });
    }
}
