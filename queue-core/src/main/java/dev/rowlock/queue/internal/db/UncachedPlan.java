package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.postgresql.PGStatement;

/**
 * Statements that are planned each time they run, for the tables as they are at that moment.
 *
 * <p>After a few executions the driver gives a statement a name on the server, and the server may keep its plan: made
 * while a live room was empty, it reads the whole of a full one. Batches avoid that by {@link IndexPlan}, which must not
 * be used inside a caller's transaction and chooses wrongly where several indexes hold the same column. For look-ups of
 * a few rows, planning anew costs no more than the settings would (40 µs of server time), but ten times as much for what writes
 * to {@code done}: there a function brings the settings ({@code complete.sql}).
 */
public final class UncachedPlan {

    private UncachedPlan() {}

    public static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
        return statement;
    }
}
