package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import org.jspecify.annotations.Nullable;

/** Gives a dead job another life: to waiting, due now, with fresh attempts and its error history. */
public final class RedriveDeadJob {

    /** The middle of a statement that has deleted dead jobs as {@code redriven}. */
    public static final String INTO_WAITING = """
            moved AS (
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, since, timeout_millis, rank, attempt, crashes, max_retries,
                                             reason, queue, job_key, type, payload, headers, errors)
                SELECT id, statement_timestamp(), enqueued_at, statement_timestamp(), timeout_millis, rank, 0, 0, max_retries,
                       'redrive', queue, job_key, type, payload, headers, errors
                  FROM redriven
                RETURNING id
            )
            """;

    private static final String SQL = """
            WITH redriven AS (
                DELETE FROM rowlock.dead WHERE id = ?
                RETURNING *
            ), """ + INTO_WAITING + AuditNote.of("moved") + "SELECT count(*) FROM moved";

    private final Database database;
    private final String sql;

    public RedriveDeadJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /**
     * Joins the caller's transaction. Returns whether the job was dead.
     *
     * @param note null: nobody is named
     */
    public boolean run(long id, @Nullable AuditNote note) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, id);
                AuditNote.set(statement, 2, note);
                return Affected.any(statement);
            }
        });
    }
}
