package dev.rowlock.queue.internal.store;

import dev.rowlock.queue.job.Claim;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Renews a node's lease, and brings back what the node must know. */
public final class BeatNode {

    // A node that was silent for longer than the gap starts its steady time anew: only steady nodes may declare others
    // dead. The row is updated even if its lease has run out: nobody has taken its jobs as long as it is there.
    private static final String SQL = """
            WITH crew AS (
                SELECT queue, count(*) AS nodes, count(*) FILTER (WHERE id < ?) AS earlier
                  FROM rowlock.node, unnest(queues) AS queue
                 GROUP BY queue HAVING bool_or(id = ?)
            ), beat AS (
                UPDATE rowlock.node
                   SET heartbeat_at = clock_timestamp(),
                       expires_at = clock_timestamp() + lease_millis * interval '1 ms',
                       steady_since = CASE WHEN clock_timestamp() - heartbeat_at > ? * interval '1 ms'
                                           THEN clock_timestamp() ELSE steady_since END
                 WHERE id = ?
                RETURNING id
            )
            SELECT EXISTS (SELECT FROM beat),
                   ARRAY(SELECT name FROM rowlock.queue WHERE paused_at IS NOT NULL),
                   ARRAY(SELECT id FROM rowlock.running WHERE node_id = ? AND cancel_requested ORDER BY id),
                   ARRAY(SELECT token FROM rowlock.running WHERE node_id = ? AND cancel_requested ORDER BY id),
                   (SELECT date_part('epoch', min(expires_at) - clock_timestamp()) FROM rowlock.node WHERE id <> ?),
                   (SELECT count(*) FROM rowlock.node),
                   (SELECT count(*) FROM rowlock.node WHERE id < ?),
                   ARRAY(SELECT queue FROM crew ORDER BY queue),
                   ARRAY(SELECT nodes FROM crew ORDER BY queue),
                   ARRAY(SELECT earlier FROM crew ORDER BY queue)
            """;

    /**
     * The answer to a heartbeat.
     *
     * @param alive false: the node was declared dead and its jobs were taken
     * @param paused the queues that are paused
     * @param cancelled this node's jobs that are to be cancelled
     * @param nextExpiry when the first of the other nodes' leases runs out unless it is renewed; null without others
     * @param place this node's among all nodes
     * @param places this node's among those that run jobs of a queue, by queue
     */
    public record Answer(
            boolean alive,
            Set<String> paused,
            List<Claim> cancelled,
            @Nullable Duration nextExpiry,
            Place place,
            Map<String, Place> places) {}

    /**
     * One node's place among some.
     *
     * @param nodes how many there are, this one included
     * @param number from 0, by id
     */
    public record Place(int nodes, int number) {

        /** Before anything is known of the others. */
        public static final Place ALONE = new Place(1, 0);
    }

    private final String sql;

    public BeatNode(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Beats; {@code gap} is the longest silence that still counts as steady. */
    public Answer run(Connection connection, long nodeId, Duration gap) throws SQLException {
        try (PreparedStatement statement = FreshPlan.prepare(connection, sql)) {
            statement.setLong(1, nodeId);
            statement.setLong(2, nodeId);
            statement.setLong(3, gap.toMillis());
            for (int i = 4; i <= 8; i++) {
                statement.setLong(i, nodeId);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                double seconds = row.getDouble(5);
                Duration nextExpiry = row.wasNull() ? null : Duration.ofMillis((long) Math.ceil(seconds * 1000));
                return new Answer(
                        row.getBoolean(1),
                        Set.of((String[]) row.getArray(2).getArray()),
                        claims(row.getArray(3), row.getArray(4)),
                        nextExpiry,
                        new Place(row.getInt(6), row.getInt(7)),
                        places(row.getArray(8), row.getArray(9), row.getArray(10)));
            }
        }
    }

    private static Map<String, Place> places(Array queues, Array nodes, Array numbers) throws SQLException {
        String[] queue = (String[]) queues.getArray();
        Long[] count = (Long[]) nodes.getArray();
        Long[] number = (Long[]) numbers.getArray();
        Map<String, Place> places = new HashMap<>();
        for (int i = 0; i < queue.length; i++) {
            places.put(queue[i], new Place(count[i].intValue(), number[i].intValue()));
        }
        return places;
    }

    private static List<Claim> claims(Array ids, Array tokens) throws SQLException {
        Long[] id = (Long[]) ids.getArray();
        Long[] token = (Long[]) tokens.getArray();
        List<Claim> claims = new ArrayList<>(id.length);
        for (int i = 0; i < id.length; i++) {
            claims.add(new Claim(id[i], token[i]));
        }
        return claims;
    }
}
