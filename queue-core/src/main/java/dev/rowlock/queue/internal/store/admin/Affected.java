package dev.rowlock.queue.internal.store.admin;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The answer of statements that count what they have changed. */
public final class Affected {

    private Affected() {}

    public static boolean any(PreparedStatement statement) throws SQLException {
        return count(statement) > 0;
    }

    public static long count(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
