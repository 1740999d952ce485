package dev.rowlock.queue.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Runs a statement that walks through a table, a stretch at a time, in the order of ids. The statement has two parameters: the id
 * behind which the stretch begins, and how many rows to look at. It returns one row, which begins with the number of rows that it
 * has looked at, and the last of their ids.
 */
public final class TableWalk {

    /** Reads what a statement says of its stretch. */
    @FunctionalInterface
    public interface Reader<T> {

        /** @param end the last id that was looked at; null if there are no more behind it */
        T read(ResultSet row, @Nullable Long end) throws SQLException;
    }

    private final Database database;
    private final String sql;

    /** @param sql written for the schema {@code rowlock} */
    public TableWalk(Database database, String sql) {
        this.database = database;
        this.sql = database.sql(sql);
    }

    /** Looks at so many rows behind the id. */
    public <T> T run(long behind, int limit, Reader<T> reader) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, behind);
                statement.setInt(2, limit);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return reader.read(row, row.getInt(1) < limit ? null : row.getLong(2));
                }
            }
        });
    }
}
