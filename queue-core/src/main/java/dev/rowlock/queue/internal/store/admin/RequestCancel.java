package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import org.jspecify.annotations.Nullable;

/** Notes on a running job that it is to be cancelled; its node hears with its next heartbeat. */
public final class RequestCancel {

    private static final String SQL = """
            WITH asked AS (
                UPDATE rowlock.running SET cancel_requested = true WHERE id = ?
                RETURNING id
            )
            """ + AuditNote.of("asked") + "SELECT count(*) FROM asked";

    private final Database database;
    private final String sql;

    public RequestCancel(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Joins the caller's transaction. Returns whether the job is running. */
    public boolean run(long id) {
        return run(id, null);
    }

    /**
     * The same.
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
