package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Adds a node with a lease of its own; ids are never used again. */
public final class RegisterNode {

    private static final String SQL = """
            INSERT INTO rowlock.node (id, name, queues, slots, started_at, heartbeat_at, beats, lease_millis, retries)
            SELECT nextval('rowlock.node_id'), ?, ?, ?, clock_timestamp(), clock_timestamp(), 0, ?, ?::jsonb
            RETURNING id
            """;

    /**
     * What a node runs.
     *
     * @param slots how many jobs it runs at once, by queue: those whose jobs it runs
     * @param retries how often its listeners try again and after which waits, as a JSON object by type of
     *     {@code {"maxRetries": 3, "waits": [1000, 2000]}} with waits in milliseconds; null for the defaults
     */
    public record Work(Map<String, Integer> slots, @Nullable String retries) {

        public Work {
            slots = Collections.unmodifiableMap(new LinkedHashMap<>(slots));
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
            statement.setObject(2, work.slots().keySet().toArray(String[]::new));
            statement.setObject(3, work.slots().values().toArray(Integer[]::new));
            statement.setLong(4, lease.toMillis());
            statement.setString(5, work.retries());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }
}
