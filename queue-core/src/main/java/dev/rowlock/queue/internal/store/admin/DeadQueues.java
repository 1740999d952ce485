package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** The queues that have dead jobs. Joins the caller's transaction. */
public final class DeadQueues {

    // From queue to queue along the index, not through all dead jobs.
    private static final String SQL = """
            WITH RECURSIVE dead_queue AS (
                (SELECT queue FROM rowlock.dead ORDER BY queue LIMIT 1)
                UNION ALL
                SELECT (SELECT d.queue FROM rowlock.dead d WHERE d.queue > last.queue ORDER BY d.queue LIMIT 1)
                  FROM dead_queue last WHERE last.queue IS NOT NULL
            )
            SELECT queue FROM dead_queue WHERE queue IS NOT NULL
            """;

    private final Database database;
    private final String sql;

    public DeadQueues(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public List<String> run() {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql);
                    ResultSet rows = statement.executeQuery()) {
                List<String> queues = new ArrayList<>();
                while (rows.next()) {
                    queues.add(rows.getString(1));
                }
                return queues;
            }
        });
    }
}
