package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** Declares nodes dead that have not beaten for their whole lease. From then on they can neither claim nor beat. */
public final class RemoveExpiredNodes {

    // No clock of the server's decides: it may have been set. The judge has watched these heartbeats for the whole
    // lease, and
    // whoever has beaten since has another number.
    private static final String SQL = """
            WITH expired AS (
                DELETE FROM rowlock.node
                 WHERE id IN (
                       SELECT n.id FROM rowlock.node n
                         JOIN unnest(?::bigint[], ?::bigint[]) AS silent (id, beats) ON silent.id = n.id AND silent.beats = n.beats
                        WHERE EXISTS (SELECT FROM rowlock.node me WHERE me.id = ? AND me.id <> n.id)
                        ORDER BY n.id
                          FOR UPDATE OF n SKIP LOCKED)
                RETURNING id, name, started_at
            )
            INSERT INTO rowlock.past_node (id, name, started_at, ended_at, expired)
            SELECT id, name, started_at, clock_timestamp(), true FROM expired
            RETURNING name
            """;

    private final Database database;

    /** Removes nodes whose beats have stood still at what the watcher saw, and names them. */
    private final String sql;

    public RemoveExpiredNodes(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /**
     * Returns the names of the nodes that were declared dead by this call.
     *
     * @param judge who says so: a node that was itself declared dead must not
     * @param silent the heartbeats that were the last ones for a whole lease
     */
    public List<String> run(long judge, List<Heartbeat> silent) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setObject(
                        1, silent.stream().mapToLong(Heartbeat::nodeId).toArray());
                statement.setObject(
                        2, silent.stream().mapToLong(Heartbeat::beats).toArray());
                statement.setLong(3, judge);
                try (ResultSet rows = statement.executeQuery()) {
                    List<String> names = new ArrayList<>();
                    while (rows.next()) {
                        names.add(rows.getString(1));
                    }
                    return names;
                }
            }
        });
    }
}
