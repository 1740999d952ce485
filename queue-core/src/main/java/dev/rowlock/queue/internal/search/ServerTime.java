package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * The server's clock, asked before a statement that compares times of done with it. What a statement finds out by itself only leaves out partitions once
 * it runs: by then it has been planned for all of them, and has locked them.
 */
final class ServerTime {

    private static final String SQL = "SELECT statement_timestamp() - :millis * interval '1 ms'";

    private ServerTime() {}

    static OffsetDateTime ago(Connection connection, Duration time) throws SQLException {
        return ColdStatement.on(connection, SQL)
                .set("millis", time.toMillis())
                .only(row -> row.getObject(1, OffsetDateTime.class));
    }
}
