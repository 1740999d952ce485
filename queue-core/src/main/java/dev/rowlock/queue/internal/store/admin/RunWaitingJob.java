package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/** Makes a waiting job ready, before it is due. */
public final class RunWaitingJob {

    private static final String SQL = """
            WITH due AS (
                DELETE FROM rowlock.waiting WHERE id = ?
                RETURNING *
            ), alone AS (
                -- It waits for the end of another job no longer.
                DELETE FROM rowlock.once_more WHERE job_id = ANY (ARRAY(SELECT id FROM due))
            ), moved AS (
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries,
                                           queue, job_key, type, payload, headers, errors)
                SELECT id, statement_timestamp(), enqueued_at, timeout_millis, rank, attempt, crashes, max_retries,
                       queue, job_key, type, payload, headers, errors
                  FROM due
                RETURNING queue, rank
            )
            """ + AuditNote.of("moved") + "SELECT queue, rank FROM moved";

    /** Where it is ready now. */
    public record Place(String queue, int rank) {}

    private final Database database;
    private final String sql;

    public RunWaitingJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Joins the caller's transaction. Empty: the job does not wait. */
    public Optional<Place> run(long id, AuditNote note) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, id);
                AuditNote.set(statement, 2, note);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(new Place(rows.getString(1), rows.getInt(2))) : Optional.empty();
                }
            }
        });
    }
}
