package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import java.sql.PreparedStatement;
import java.util.List;

/** Reads all nodes, whether they beat or not. There are few. */
public final class ListNodes {

    private static final String SQL = """
            SELECT id, name, queues, slots, started_at, lease_millis,
                   date_part('epoch', greatest(statement_timestamp() - heartbeat_at, interval '0')) AS silent_seconds
              FROM rowlock.node ORDER BY id
            """;

    private final Database database;
    private final String sql;

    public ListNodes(Database database) {
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
