package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/** One job in whatever room it is. Reads the caller's transaction if there is one. */
public final class FindJob {

    private static final String SQL = "SELECT * FROM rowlock.jobs_by_id(ARRAY[?::bigint])";

    private final Database database;
    private final String sql;

    public FindJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public <T> Optional<T> run(long id, Row<T> row) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, id);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
                }
            }
        });
    }
}
