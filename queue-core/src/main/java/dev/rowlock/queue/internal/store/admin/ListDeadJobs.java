package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A page of dead jobs with their last errors, newest first. Reads the caller's transaction if there is one. */
public final class ListDeadJobs {

    private static final String OF_ALL = """
            SELECT id, state, queue, type, -rank AS priority, attempt, crashes, enqueued_at, died_at, errors -> -1 AS last_error
              FROM rowlock.dead
             WHERE id < ?
             ORDER BY id DESC LIMIT ?
            """;

    private static final String OF_QUEUE = OF_ALL.replace("WHERE", "WHERE queue = ? AND");

    private final Database database;

    public ListDeadJobs(Database database) {
        this.database = database;
    }

    /** @param queue null for all queues */
    public <T> List<T> run(@Nullable String queue, long before, int limit, FindJob.Row<T> row) {
        String sql = database.sql(queue == null ? OF_ALL : OF_QUEUE);
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                int last = 0;
                if (queue != null) {
                    statement.setString(++last, queue);
                }
                statement.setLong(++last, before);
                statement.setInt(++last, limit);
                try (ResultSet rows = statement.executeQuery()) {
                    List<T> page = new ArrayList<>();
                    while (rows.next()) {
                        page.add(row.read(rows));
                    }
                    return page;
                }
            }
        });
    }
}
