package dev.rowlock.queue.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Adds a node with a lease of its own; ids are never used again. */
public final class RegisterNode {

    private static final String SQL = """
            INSERT INTO rowlock.node (id, name, queues, started_at, heartbeat_at, beats, lease_millis)
            SELECT nextval('rowlock.node_id'), ?, ?, clock_timestamp(), clock_timestamp(), 0, ?
            RETURNING id
            """;

    private final String sql;

    public RegisterNode(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /**
     * Returns the new node's id.
     *
     * @param queues those whose jobs it runs
     */
    public long run(Connection connection, String name, List<String> queues, Duration lease) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            statement.setObject(2, queues.toArray(String[]::new));
            statement.setLong(3, lease.toMillis());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }
}
