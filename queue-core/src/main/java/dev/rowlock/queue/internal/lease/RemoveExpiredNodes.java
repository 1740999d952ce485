package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import java.util.List;

/** Declares nodes dead that have not beaten for their whole lease. From then on they can neither claim nor beat. */
public final class RemoveExpiredNodes {

    // No clock of the server's decides: it may have been set. The judge has watched these heartbeats for the whole
    // lease, and whoever has beaten since has another number.
    private static final String SQL = """
            WITH expired AS (
                DELETE FROM rowlock.node
                 WHERE id IN (
                       SELECT n.id FROM rowlock.node n
                         JOIN unnest(:ids::bigint[], :beats::bigint[]) AS silent (id, beats) ON silent.id = n.id AND silent.beats = n.beats
                        WHERE EXISTS (SELECT FROM rowlock.node me WHERE me.id = :judge AND me.id <> n.id)
                        ORDER BY n.id
                          FOR UPDATE OF n SKIP LOCKED)
                RETURNING id, name, started_at
            )
            INSERT INTO rowlock.past_node (id, name, started_at, ended_at, expired)
            SELECT id, name, started_at, clock_timestamp(), true FROM expired
            RETURNING name
            """;

    private final Database database;

    public RemoveExpiredNodes(Database database) {
        this.database = database;
    }

    /**
     * Returns the names of the nodes that were declared dead by this call.
     *
     * @param judge who says so: a node that was itself declared dead must not
     * @param silent the heartbeats that were the last ones for a whole lease
     */
    public List<String> run(long judge, List<Heartbeat> silent) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(SQL))
                .set("ids", Columns.longs(silent, Heartbeat::nodeId))
                .set("beats", Columns.longs(silent, Heartbeat::beats))
                .set("judge", judge)
                .list(row -> row.getString(1)));
    }
}
