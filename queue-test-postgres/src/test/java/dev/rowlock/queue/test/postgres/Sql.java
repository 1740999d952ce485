package dev.rowlock.queue.test.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Runs a statement and, if it has a result, tells the first value. */
final class Sql {

    private Sql() {}

    static String run(DataSource source, String sql) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return run(connection, sql);
        }
    }

    static String run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return "";
            }
            ResultSet row = statement.getResultSet();
            return row.next() ? row.getString(1) : "";
        }
    }
}
