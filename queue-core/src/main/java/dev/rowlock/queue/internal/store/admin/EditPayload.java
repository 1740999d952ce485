package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import org.jspecify.annotations.Nullable;

/** Gives a job that no node has another payload. Its checkpoint stays: an operator knows both. */
public final class EditPayload {

    // Where a large payload lies aside, it is written only if the job was found: a claim that came first runs with the
    // old one.
    // A payload that is small now leaves nothing aside.
    private static final String SQL = """
            WITH wanted AS (
                SELECT small::json, large::json FROM (SELECT ?::text, ?::text) AS given (small, large)
            ), of_waiting AS (
                UPDATE rowlock.waiting SET payload = wanted.small FROM wanted WHERE id = ?
                RETURNING id
            ), of_ready AS (
                UPDATE rowlock.ready SET payload = wanted.small FROM wanted WHERE id = ?
                RETURNING id
            ), of_dead AS (
                UPDATE rowlock.dead SET payload = wanted.small FROM wanted WHERE id = ?
                RETURNING id
            ), changed AS (
                TABLE of_waiting UNION ALL TABLE of_ready UNION ALL TABLE of_dead
            ), aside AS (
                INSERT INTO rowlock.payload (job_id, bytes, payload)
                SELECT id, octet_length(large::text), large FROM changed, wanted WHERE large IS NOT NULL
                ON CONFLICT (job_id) DO UPDATE SET bytes = excluded.bytes, payload = excluded.payload
            ), removed AS (
                DELETE FROM rowlock.payload USING changed, wanted WHERE job_id = id AND large IS NULL
            )
            """ + AuditNote.of("changed") + "SELECT count(*) FROM changed";

    private final Database database;
    private final String sql;

    public EditPayload(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /**
     * Joins the caller's transaction. Returns whether the job was waiting, ready or dead.
     *
     * @param small JSON for the job's row; null: it lies aside
     * @param large JSON for the table of large payloads; null: it is small
     */
    public boolean run(long id, @Nullable String small, @Nullable String large, AuditNote note) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, small);
                statement.setString(2, large);
                statement.setLong(3, id);
                statement.setLong(4, id);
                statement.setLong(5, id);
                AuditNote.set(statement, 6, note);
                return Affected.any(statement);
            }
        });
    }
}
