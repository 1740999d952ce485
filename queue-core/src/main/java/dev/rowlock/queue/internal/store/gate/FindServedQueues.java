package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.util.List;

/** Finds the queues that living nodes serve, by name. There are few nodes. Joins the caller's transaction. */
public final class FindServedQueues {

    // Twice the lease: a node that is about to be given up may only be slow.
    private static final String SQL = """
            SELECT DISTINCT unnest(queues) AS queue FROM rowlock.node
             WHERE heartbeat_at > clock_timestamp() - 2 * lease_millis * interval '1 ms'
             ORDER BY queue
            """;

    private static final Row<String> QUEUE = row -> row.getString(1);

    private final Database database;
    private final String sql;

    public FindServedQueues(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public List<String> run() {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                return QUEUE.all(statement);
            }
        });
    }
}
