package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Schema;
import java.sql.Connection;
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
            SELECT nextval('rowlock.node_id'), :name, :queues, :slots, clock_timestamp(), clock_timestamp(), 0, :lease, :retries::jsonb
            RETURNING id
            """;

    private static final String REMOVE = """
            WITH stopped AS (DELETE FROM rowlock.node WHERE id = :id RETURNING id, name, started_at)
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

    private final Schema schema;

    public NodeRow(Schema schema) {
        this.schema = schema;
    }

    /** Adds a node with a lease of its own. Returns its id; ids are never used again. */
    public long register(Connection connection, String name, Work work, Duration lease) throws SQLException {
        return ColdStatement.on(connection, schema.sql(REGISTER))
                .set("name", name)
                .set("queues", work.slots().keySet().toArray(String[]::new))
                .set("slots", work.slots().values().toArray(Integer[]::new))
                .set("lease", lease.toMillis())
                .set("retries", work.retries())
                .only(row -> row.getLong(1));
    }

    /** Removes a node that stops in good order. Jobs that it still holds go back as after a crash. */
    public void remove(Connection connection, long nodeId) throws SQLException {
        ColdStatement.on(connection, schema.sql(REMOVE)).set("id", nodeId).update();
    }
}
