package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Renews a node's lease, and brings back what the node must know. */
public final class BeatNode {

    // The row is updated even if its lease has run out: nobody has taken its jobs as long as it is there.
    private static final String SQL = """
            WITH crew AS (
                SELECT queue, count(*) AS nodes, count(*) FILTER (WHERE id < ?) AS earlier
                  FROM rowlock.node, unnest(queues) AS queue
                 GROUP BY queue HAVING bool_or(id = ?)
            ), beat AS (
                UPDATE rowlock.node SET heartbeat_at = clock_timestamp(), beats = beats + 1
                 WHERE id = ?
                RETURNING id
            ), other AS (
                SELECT id, beats, lease_millis, date_part('epoch', clock_timestamp() - heartbeat_at) AS age
                  FROM rowlock.node WHERE id <> ?
            )
            SELECT EXISTS (SELECT FROM beat),
                   ARRAY(SELECT kind FROM rowlock.pause ORDER BY kind, name),
                   ARRAY(SELECT id FROM rowlock.running WHERE node_id = ? AND cancel_requested ORDER BY id),
                   ARRAY(SELECT token FROM rowlock.running WHERE node_id = ? AND cancel_requested ORDER BY id),
                   ARRAY(SELECT id FROM other ORDER BY id),
                   ARRAY(SELECT beats FROM other ORDER BY id),
                   ARRAY(SELECT lease_millis FROM other ORDER BY id),
                   ARRAY(SELECT age FROM other ORDER BY id),
                   (SELECT count(*) FROM rowlock.node),
                   (SELECT count(*) FROM rowlock.node WHERE id < ?),
                   ARRAY(SELECT queue FROM crew ORDER BY queue),
                   ARRAY(SELECT nodes FROM crew ORDER BY queue),
                   ARRAY(SELECT earlier FROM crew ORDER BY queue),
                   clock_timestamp(),
                   ARRAY(SELECT name FROM rowlock.pause ORDER BY kind, name)
            """;

    /**
     * The answer to a heartbeat.
     *
     * @param alive false: the node was declared dead and its jobs were taken
     * @param paused what is paused
     * @param cancelled this node's jobs that are to be cancelled
     * @param others what the other nodes' last heartbeats were
     * @param place this node's among all nodes
     * @param places this node's among those that run jobs of a queue, by queue
     * @param now the server's clock
     */
    public record Answer(
            boolean alive,
            Paused paused,
            List<Claim> cancelled,
            List<Heartbeat> others,
            Place place,
            Map<String, Place> places,
            Instant now) {}

    /** What somebody has paused. */
    public record Paused(Set<String> queues, Set<String> types, boolean everything) {

        /** Whether nothing of this queue is claimed. */
        public boolean queue(String name) {
            return everything || queues.contains(name);
        }
    }

    /**
     * Another node's last heartbeat.
     *
     * @param beats its number
     * @param lease after so long without another one the node counts as dead
     * @param age how long ago it was, by the server's clock, which may have been set since: anything, even negative
     */
    public record Heartbeat(long nodeId, long beats, Duration lease, Duration age) {}

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

    public Answer run(Connection connection, long nodeId) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            for (int i = 1; i <= 7; i++) {
                statement.setLong(i, nodeId);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Answer(
                        row.getBoolean(1),
                        paused(row.getArray(2), row.getArray(15)),
                        claims(row.getArray(3), row.getArray(4)),
                        others(row),
                        new Place(row.getInt(9), row.getInt(10)),
                        places(row.getArray(11), row.getArray(12), row.getArray(13)),
                        row.getObject(14, OffsetDateTime.class).toInstant());
            }
        }
    }

    private static Paused paused(Array kinds, Array names) throws SQLException {
        String[] kind = (String[]) kinds.getArray();
        String[] name = (String[]) names.getArray();
        Set<String> queues = new HashSet<>();
        Set<String> types = new HashSet<>();
        boolean everything = false;
        for (int i = 0; i < kind.length; i++) {
            switch (kind[i]) {
                case "queue" -> queues.add(name[i]);
                case "type" -> types.add(name[i]);
                default -> everything = true;
            }
        }
        return new Paused(queues, types, everything);
    }

    private static List<Heartbeat> others(ResultSet row) throws SQLException {
        Long[] ids = (Long[]) row.getArray(5).getArray();
        Long[] beats = (Long[]) row.getArray(6).getArray();
        Long[] leases = (Long[]) row.getArray(7).getArray();
        Double[] ages = (Double[]) row.getArray(8).getArray();
        List<Heartbeat> others = new ArrayList<>(ids.length);
        for (int i = 0; i < ids.length; i++) {
            others.add(new Heartbeat(
                    ids[i], beats[i], Duration.ofMillis(leases[i]), Duration.ofMillis((long) (ages[i] * 1000))));
        }
        return others;
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
