package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Removes a node that stops in good order. Jobs that it still holds go back as after a crash. */
public final class RemoveNode {

    private static final String SQL = """
            WITH stopped AS (DELETE FROM rowlock.node WHERE id = ? RETURNING id, name, started_at)
            INSERT INTO rowlock.past_node (id, name, started_at, ended_at, expired)
            SELECT id, name, started_at, clock_timestamp(), false FROM stopped
            """;

    private final String sql;

    public RemoveNode(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    public void run(Connection connection, long nodeId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, nodeId);
            statement.executeUpdate();
        }
    }
}
