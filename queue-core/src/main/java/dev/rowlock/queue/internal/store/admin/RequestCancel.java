package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;

/** Notes on a running job that it is to be cancelled; its node hears with its next heartbeat. */
public final class RequestCancel {

    private static final String SQL = "UPDATE rowlock.running SET cancel_requested = true WHERE id = ?";

    private final Database database;
    private final String sql;

    public RequestCancel(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Joins the caller's transaction. Returns whether the job is running. */
    public boolean run(long id) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, id);
                return statement.executeUpdate() == 1;
            }
        });
    }
}
