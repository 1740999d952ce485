package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;

/** The highest id that any dead job of a queue has: a bound for sweeps, so that they end while more jobs die. */
public final class LastDeadJob {

    private static final String SQL = "SELECT coalesce(max(id), 0) FROM rowlock.dead WHERE queue = ?";

    private final Database database;
    private final String sql;

    public LastDeadJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public long run(String queue) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, queue);
                try (var rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        });
    }
}
