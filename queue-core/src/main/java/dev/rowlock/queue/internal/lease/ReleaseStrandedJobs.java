package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Room;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives back jobs that a node has claimed without knowing it: the claim was committed, but the connection broke before
 * the answer arrived. Nobody else would ever find them, because their node is alive.
 */
public final class ReleaseStrandedJobs {

    // Later claims may be on their way to the node. Tokens say what is later, the server's clock may have been set.
    // Reads the whole of running: now and then.
    private static final String SQL = Move.from(Room.RUNNING, "stranded", """
                    WITH stranded AS (
                        DELETE FROM rowlock.running
                         WHERE ctid = ANY (ARRAY(
                               SELECT ctid FROM rowlock.running
                                WHERE node_id = :node AND token <= :up_to AND token <> ALL (:held::bigint[])
                                  AND id = ANY (coalesce(:ids::bigint[], ARRAY[id]))
                                ORDER BY id LIMIT :limit
                                  FOR UPDATE SKIP LOCKED))
                        RETURNING *
                    )""")
            .to(Room.DONE, "state = 'cancelled'")
            .when("cancel_requested")
            .orTo(Room.READY, "attempt = attempt - 1")
            .answering("SELECT queue, min(rank), count(*) FROM stranded GROUP BY queue");

    private static final String STRANDED = """
            SELECT id FROM rowlock.running
             WHERE node_id = :node AND token <= :up_to AND token <> ALL (:held::bigint[])
             ORDER BY random() LIMIT :limit
            """;

    /** So many jobs at a time, at most. */
    public static final int LIMIT = 1_000;

    private static final String LAST_TOKEN =
            "SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM rowlock.claim_token";

    private final Database database;
    private final EnsureDonePartitions partitions;

    public ReleaseStrandedJobs(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
    }

    /**
     * Releases what the node has claimed up to this token and does not hold.
     *
     * @param upTo claims with later tokens may still be on their way
     * @param heldTokens the claims that the node knows of
     * @param limit so many at most
     */
    public List<ReadyJobs> run(long nodeId, long upTo, long[] heldTokens, int limit) {
        return partitions.around(
                () -> database.alone(connection -> run(connection, nodeId, upTo, heldTokens, null, limit)));
    }

    /** Releases those of these jobs of which the same is true. */
    public List<ReadyJobs> named(long nodeId, long upTo, long[] heldTokens, List<Long> ids) {
        return partitions.around(
                () -> database.alone(connection -> run(connection, nodeId, upTo, heldTokens, ids, LIMIT)));
    }

    /** Releases what the node has claimed at all and does not hold: no claim of it is on its way any more. {@link #LIMIT} at most. */
    public List<ReadyJobs> all(Connection connection, long nodeId, long[] heldTokens) throws SQLException {
        return run(connection, nodeId, Long.MAX_VALUE, heldTokens, null, LIMIT);
    }

    private List<ReadyJobs> run(
            Connection connection, long nodeId, long upTo, long[] heldTokens, @Nullable List<Long> ids, int limit)
            throws SQLException {
        return on(connection, SQL, nodeId, upTo, heldTokens)
                .set("ids", ids == null ? null : Columns.longs(ids, Long::longValue))
                .set("limit", limit)
                .list(row -> new ReadyJobs(row.getString(1), row.getInt(2), row.getInt(3), null));
    }

    private ColdStatement on(Connection connection, String text, long nodeId, long upTo, long[] heldTokens) {
        return ColdStatement.on(connection, database.sql(text))
                .set("node", nodeId)
                .set("up_to", upTo)
                .set("held", heldTokens);
    }

    /** The ids of those that {@link #run} is to release, some if there are many. */
    public List<Long> stranded(long nodeId, long upTo, long[] heldTokens) {
        return database.alone(connection -> on(connection, STRANDED, nodeId, upTo, heldTokens)
                .set("limit", LIMIT)
                .list(row -> row.getLong(1)));
    }

    /** The token of the claim that was the last one until now. */
    public long lastToken() {
        return database.alone(connection ->
                ColdStatement.on(connection, database.sql(LAST_TOKEN)).only(row -> row.getLong(1)));
    }
}
