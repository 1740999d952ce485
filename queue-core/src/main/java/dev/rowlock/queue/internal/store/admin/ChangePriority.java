package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Changes the priority of a job that no node has. */
public final class ChangePriority {

    // A ready job keeps its time, so among those of its new rank it stands where its age says.
    private static final String SQL = """
            WITH of_waiting AS (
                UPDATE rowlock.waiting SET rank = ? WHERE id = ?
                RETURNING id, NULL::text AS queue
            ), of_ready AS (
                UPDATE rowlock.ready SET rank = ? WHERE id = ?
                RETURNING id, queue
            ), of_dead AS (
                UPDATE rowlock.dead SET rank = ? WHERE id = ?
                RETURNING id, NULL::text AS queue
            ), of_held AS (
                UPDATE rowlock.held_job SET rank = ? WHERE job_id = ? -- what its policy is shown
            ), changed AS (
                TABLE of_waiting UNION ALL TABLE of_ready UNION ALL TABLE of_dead
            )
            """ + AuditNote.of("changed") + "SELECT queue FROM changed";

    /**
     * What was changed.
     *
     * @param queue where the job is ready; null: it waits, or is dead
     */
    public record Changed(@Nullable String queue) {}

    private final Database database;
    private final String sql;

    public ChangePriority(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Joins the caller's transaction. Empty: the job is running, has ended well, or is not there. */
    public Optional<Changed> run(long id, int rank, AuditNote note) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                for (int i = 1; i <= 7; i += 2) {
                    statement.setInt(i, rank);
                    statement.setLong(i + 1, id);
                }
                AuditNote.set(statement, 9, note);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(new Changed(rows.getString(1))) : Optional.empty();
                }
            }
        });
    }
}
