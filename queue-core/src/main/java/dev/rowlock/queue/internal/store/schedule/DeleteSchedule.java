package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Removes a recurring job. */
public final class DeleteSchedule {

    private static final String SQL = "DELETE FROM rowlock.schedule WHERE name = ?";

    private final String sql;

    public DeleteSchedule(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Returns whether there was one of that name. */
    public boolean run(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setString(1, name);
            return statement.executeUpdate() == 1;
        }
    }
}
