package dev.rowlock.queue.internal.store.node;

import dev.rowlock.queue.internal.store.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds a node with a lease of its own; ids are never used again. */
public final class RegisterNode {

    private static final String SQL = """
            INSERT INTO rowlock.node (id, name, queues, started_at, heartbeat_at, beats, lease_millis, retries)
            SELECT nextval('rowlock.node_id'), ?, ?, clock_timestamp(), clock_timestamp(), 0, ?, ?::jsonb
            RETURNING id
            """;

    /**
     * What a node runs.
     *
     * @param queues those whose jobs it runs
     * @param retries how often its listeners try again and after which waits, as a JSON object by type of
     *     {@code {"maxRetries": 3, "waits": [1000, 2000]}} with waits in milliseconds; null for the defaults
     */
    public record Work(List<String> queues, @Nullable String retries) {

        public Work {
            queues = List.copyOf(queues);
        }
    }

    private final String sql;

    public RegisterNode(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Returns the new node's id. */
    public long run(Connection connection, String name, Work work, Duration lease) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            statement.setObject(2, work.queues().toArray(String[]::new));
            statement.setLong(3, lease.toMillis());
            statement.setString(4, work.retries());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }
}
