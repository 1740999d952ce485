package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.util.Collection;
import java.util.List;

/** Where some jobs are now, whatever room they are in: for those who watch them. Reads no payload, and finds each by its primary key. */
public final class GlanceAtJobs {

    private static final String SQL = """
            SELECT id, state, type, attempt, progress, progress_note FROM rowlock.jobs_by_id(?) ORDER BY id
            """;

    private final Database database;
    private final String sql;

    public GlanceAtJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public <T> List<T> run(Collection<Long> ids, Row<T> row) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
                return row.all(statement);
            }
        });
    }
}
