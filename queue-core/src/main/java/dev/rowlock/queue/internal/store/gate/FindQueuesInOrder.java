package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.util.List;

/** Finds the queues whose keys run in order: there, a job that has begun holds up others. */
public final class FindQueuesInOrder {

    private static final String SQL = "SELECT queue FROM rowlock.queue_limit WHERE in_order IS NOT NULL ORDER BY queue";

    private static final Row<String> QUEUE = row -> row.getString(1);

    private final Database database;
    private final String sql;

    public FindQueuesInOrder(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public List<String> run() {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                return QUEUE.all(statement);
            }
        });
    }
}
