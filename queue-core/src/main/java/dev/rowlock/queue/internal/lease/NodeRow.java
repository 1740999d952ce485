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

/** The row of a node, from its start to its stop. */
public final class NodeRow {

    private static final String REGISTER = """
            INSERT INTO rowlock.node (id, name, queues, slots, started_at, heartbeat_at, beats, lease_millis, retries)
            SELECT nextval('rowlock.node_id'), ?, ?, ?, clock_timestamp(), clock_timestamp(), 0, ?, ?::jsonb
            RETURNING id
            """;

    private static final String REMOVE = """
            WITH stopped AS (DELETE FROM rowlock.node WHERE id = ? RETURNING id, name, started_at)
            INSERT INTO rowlock.past_node (id, name, started_at, ended_at, expired)
            SELECT id, name, started_at, clock_timestamp(), false FROM stopped
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

    private final String register;
    private final String remove;

    public NodeRow(Schema schema) {
        this.register = schema.sql(REGISTER);
        this.remove = schema.sql(REMOVE);
    }

    /** Adds a node with a lease of its own. Returns its id; ids are never used again. */
    public long register(Connection connection, String name, Work work, Duration lease) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(register)) {
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

    /** Removes a node that stops in good order. Jobs that it still holds go back as after a crash. */
    public void remove(Connection connection, long nodeId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(remove)) {
            statement.setLong(1, nodeId);
            statement.executeUpdate();
        }
    }
}
