package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.Claim;
import java.sql.Connection;
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
                SELECT queue, count(*) AS nodes, count(*) FILTER (WHERE id < :node) AS earlier
                  FROM rowlock.node, unnest(queues) AS queue
                 GROUP BY queue HAVING bool_or(id = :node)
            ), beat AS (
                UPDATE rowlock.node SET heartbeat_at = clock_timestamp(), beats = beats + 1
                 WHERE id = :node
                RETURNING id
            ), other AS (
                SELECT id, beats, lease_millis, date_part('epoch', clock_timestamp() - heartbeat_at) AS age
                  FROM rowlock.node WHERE id <> :node
            )
            SELECT EXISTS (SELECT FROM beat),
                   ARRAY(SELECT kind FROM rowlock.pause ORDER BY kind, name),
                   ARRAY(SELECT id FROM rowlock.running WHERE node_id = :node AND cancel_requested ORDER BY id),
                   ARRAY(SELECT token FROM rowlock.running WHERE node_id = :node AND cancel_requested ORDER BY id),
                   ARRAY(SELECT id FROM other ORDER BY id),
                   ARRAY(SELECT beats FROM other ORDER BY id),
                   ARRAY(SELECT lease_millis FROM other ORDER BY id),
                   ARRAY(SELECT age FROM other ORDER BY id),
                   (SELECT count(*) FROM rowlock.node),
                   (SELECT count(*) FROM rowlock.node WHERE id < :node),
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
        return ColdStatement.on(connection, sql)
                .set("node", nodeId)
                .only(row -> new Answer(
                        row.getBoolean(1),
                        paused(Columns.textList(row, 2), Columns.textList(row, 15)),
                        claims(longs(row, 3), longs(row, 4)),
                        others(row),
                        new Place(row.getInt(9), row.getInt(10)),
                        places(Columns.textList(row, 11), longs(row, 12), longs(row, 13)),
                        row.getObject(14, OffsetDateTime.class).toInstant()));
    }

    private static Long[] longs(ResultSet row, int column) throws SQLException {
        return (Long[]) row.getArray(column).getArray();
    }

    private static Paused paused(List<String> kinds, List<String> names) {
        Set<String> queues = new HashSet<>();
        Set<String> types = new HashSet<>();
        boolean everything = false;
        for (int i = 0; i < kinds.size(); i++) {
            switch (kinds.get(i)) {
                case "queue" -> queues.add(names.get(i));
                case "type" -> types.add(names.get(i));
                default -> everything = true;
            }
        }
        return new Paused(queues, types, everything);
    }

    private static List<Heartbeat> others(ResultSet row) throws SQLException {
        Long[] ids = longs(row, 5);
        Long[] beats = longs(row, 6);
        Long[] leases = longs(row, 7);
        Double[] ages = (Double[]) row.getArray(8).getArray();
        List<Heartbeat> others = new ArrayList<>(ids.length);
        for (int i = 0; i < ids.length; i++) {
            others.add(new Heartbeat(
                    ids[i], beats[i], Duration.ofMillis(leases[i]), Duration.ofMillis((long) (ages[i] * 1000))));
        }
        return others;
    }

    private static Map<String, Place> places(List<String> queues, Long[] counts, Long[] numbers) {
        Map<String, Place> places = new HashMap<>();
        for (int i = 0; i < counts.length; i++) {
            places.put(queues.get(i), new Place(counts[i].intValue(), numbers[i].intValue()));
        }
        return places;
    }

    private static List<Claim> claims(Long[] ids, Long[] tokens) {
        List<Claim> claims = new ArrayList<>(ids.length);
        for (int i = 0; i < ids.length; i++) {
            claims.add(new Claim(ids[i], tokens[i]));
        }
        return claims;
    }
}
