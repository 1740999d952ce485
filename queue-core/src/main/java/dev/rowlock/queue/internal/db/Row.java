package dev.rowlock.queue.internal.db;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Turns a row into what the caller needs. */
@FunctionalInterface
public interface Row<T> {

    T read(ResultSet row) throws SQLException;

    /** Runs a query and reads all of its rows. */
    default List<T> all(PreparedStatement query) throws SQLException {
        try (ResultSet rows = query.executeQuery()) {
            return rest(rows);
        }
    }

    /** Reads all rows that come next. */
    default List<T> rest(ResultSet rows) throws SQLException {
        List<T> all = new ArrayList<>();
        while (rows.next()) {
            all.add(read(rows));
        }
        return all;
    }
}
