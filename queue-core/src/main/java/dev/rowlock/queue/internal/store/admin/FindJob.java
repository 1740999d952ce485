package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Optional;

/** One job in whatever room it is. Reads the caller's transaction if there is one. */
public final class FindJob {

    // A snapshot sees each job in exactly one room. The server plans before it takes the snapshot: a partition of done
    // that is
    // made in between is not in the plan, but the job that went there has left its room. So a look that finds none is
    // made twice.
    private static final String SQL = "SELECT * FROM rowlock.job_details WHERE id = ?";

    private final Database database;
    private final String sql;

    public FindJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public <T> Optional<T> run(long id, Row<T> row) {
        return look(id, row).or(() -> look(id, row));
    }

    private <T> Optional<T> look(long id, Row<T> row) {
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
