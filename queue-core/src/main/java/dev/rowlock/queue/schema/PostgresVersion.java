package dev.rowlock.queue.schema;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Refuses databases that the SQL of Rowlock cannot run on, before the first statement fails with a riddle. */
final class PostgresVersion {

    /** The oldest major version that is tested. */
    static final int OLDEST = 14;

    private PostgresVersion() {}

    static void require(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (!product.equals("PostgreSQL")) {
            throw new UnsupportedDatabaseException(
                    "the database is %s, and Rowlock runs on PostgreSQL %d or later only".formatted(product, OLDEST));
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT current_setting('server_version_num')::int / 10000, version(), current_setting('server_encoding')")) {
            rows.next();
            requireSupported(rows.getInt(1), rows.getString(2));
            requireUnicode(connection.getCatalog(), rows.getString(3));
        }
    }

    /** In any other encoding, payloads and errors could not be written as they are, and what becomes of a job must not hang on its letters. */
    private static void requireUnicode(String database, String encoding) {
        if (!encoding.equals("UTF8")) {
            throw new UnsupportedDatabaseException(
                    "the encoding of database '%s' is %s, and Rowlock needs UTF8, which has all letters: put its tables into a database that was made with ENCODING 'UTF8'"
                            .formatted(database, encoding));
        }
    }

    static void requireSupported(int major, String version) {
        // Others speak its protocol and call themselves PostgreSQL; their locks and partitions differ.
        if (major < OLDEST || version.contains("CockroachDB")) {
            throw new UnsupportedDatabaseException(
                    "the database is '%s', and Rowlock runs on PostgreSQL %d or later only".formatted(version, OLDEST));
        }
    }
}
