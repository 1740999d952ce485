package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import org.jspecify.annotations.Nullable;

/** Takes a job that has not begun to done, as cancelled: from waiting or ready. Joins the caller's transaction. */
public final class CancelIdleJob {

    private static final String SQL = """
            WITH from_waiting AS (
                DELETE FROM rowlock.waiting WHERE id = ?
                RETURNING id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, job_key, type, payload, headers, errors
            ), from_ready AS (
                DELETE FROM rowlock.ready WHERE id = ?
                RETURNING id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, job_key, type, payload, headers, errors
            ), cancelled AS (
                INSERT INTO rowlock.done (id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, job_key, type,
                                          payload, headers, errors, finished_at, state)
                SELECT *, statement_timestamp(), 'cancelled'
                  FROM (TABLE from_waiting UNION ALL TABLE from_ready) AS found
                RETURNING id
            )
            """ + AuditNote.of("cancelled") + "SELECT count(*) FROM cancelled";

    private final EnsureDonePartitions partitions;
    private final String sql;

    public CancelIdleJob(Database database) {
        this.partitions = new EnsureDonePartitions(database);
        this.sql = database.sql(SQL);
    }

    /** Returns whether the job was found in one of these rooms. */
    public boolean run(long id) {
        return run(id, null);
    }

    /**
     * The same.
     *
     * @param note null: nobody is named
     */
    public boolean run(long id, @Nullable AuditNote note) {
        return partitions.aroundJoined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, id);
                statement.setLong(2, id);
                AuditNote.set(statement, 3, note);
                return Affected.any(statement);
            }
        });
    }
}
