package dev.rowlock.queue.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Declares nodes dead whose lease has run out. From then on they can neither claim nor beat. */
public final class RemoveExpiredNodes {

    // After a database outage every lease has run out. Only a node that has itself beaten without a gap for as long as
    // the other's lease may judge: by then everybody has had the chance to beat.
    private static final String SQL = """
            DELETE FROM rowlock.node
             WHERE id IN (
                   SELECT n.id FROM rowlock.node n, rowlock.node me
                    WHERE me.id = ? AND n.id <> me.id AND n.expires_at < clock_timestamp()
                      AND me.heartbeat_at > clock_timestamp() - ? * interval '1 ms'
                      AND me.steady_since < clock_timestamp() - n.lease_millis * interval '1 ms'
                    ORDER BY n.id LIMIT 1000
                      FOR UPDATE OF n SKIP LOCKED)
            RETURNING name
            """;

    private final Database database;
    private final String sql;

    public RemoveExpiredNodes(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the names of the nodes that were declared dead by this call. */
    public List<String> run(long judge, Duration gap) {
        return database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setLong(1, judge);
                statement.setLong(2, gap.toMillis());
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
