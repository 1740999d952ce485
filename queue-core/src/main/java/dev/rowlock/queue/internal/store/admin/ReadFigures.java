package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.util.List;

/** Reads the last measurement of the database that some node made for all. */
public final class ReadFigures {

    private static final String SQL = """
            SELECT name, detail, value, date_part('epoch', greatest(statement_timestamp() - measured_at, interval '0')) AS age_seconds
              FROM rowlock.figure ORDER BY name, detail
            """;

    private final Database database;
    private final String sql;

    public ReadFigures(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public <T> List<T> run(Row<T> row) {
        return database.joined(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                return row.all(statement);
            }
        });
    }
}
