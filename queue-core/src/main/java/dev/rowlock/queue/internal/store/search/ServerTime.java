package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * The server's clock, asked before a statement that compares times of done with it. What a statement finds out by itself only leaves out partitions once
 * it runs: by then it has been planned for all of them, and has locked them.
 */
final class ServerTime {

    private static final String SQL = "SELECT statement_timestamp() - ? * interval '1 ms'";

    private ServerTime() {}

    static OffsetDateTime ago(Connection connection, Duration time) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, SQL)) {
            statement.setLong(1, time.toMillis());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getObject(1, OffsetDateTime.class);
            }
        }
    }
}
