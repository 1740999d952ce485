package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sees to it that nothing of a key, or of a queue, begins for a time: because somebody outside has said so. Only where there is a rate. */
public final class HoldGate {

    /** Finds the rate that a slow-down is about, and locks it. */
    private static final String GATE = """
            SELECT gate, pg_advisory_xact_lock(hashtextextended(? || gate, 0))
              FROM (SELECT CASE WHEN l.key_rate_jobs IS NOT NULL AND asked.key IS NOT NULL THEN asked.key
                                WHEN l.rate_jobs IS NOT NULL THEN '' END AS gate
                      FROM rowlock.queue_limit l, (SELECT ?::text AS key) AS asked
                     WHERE l.queue = ?) AS found
             WHERE gate IS NOT NULL
            """;

    /**
     * Holds back a queue, or a key in it, for a while, or lets it go on: no job of it begins meanwhile, as if its rate were used up. In a statement of its own, whose snapshot
     * is newer than the lock.
     */
    private static final String HOLD = """
            INSERT INTO rowlock.rate_state (queue, gate, number, next_at, held_until)
            SELECT asked.queue, asked.gate, nextval('rowlock.claim_token'), coalesce(last.next_at, asked.now),
                   CASE WHEN asked.millis > 0 THEN greatest(last.held_until, asked.now + asked.millis / 1000.0::double precision) END
              FROM (SELECT ?::text AS queue, ?::text AS gate, ?::bigint AS millis,
                           extract(epoch FROM clock_timestamp())::double precision AS now) AS asked
              LEFT JOIN LATERAL (
                   SELECT s.next_at, s.held_until
                     FROM rowlock.rate_state s
                    WHERE s.queue = asked.queue AND s.gate = asked.gate
                    ORDER BY s.number DESC LIMIT 1) AS last ON true
             WHERE asked.millis > 0 OR last.held_until > asked.now
            """;

    private final Database database;

    public HoldGate(Database database) {
        this.database = database;
    }

    /**
     * In a transaction of its own. Returns false if there is no rate.
     *
     * @param key null: the queue as a whole
     * @param time zero: no longer
     */
    public boolean run(String queue, @Nullable String key, Duration time) {
        return run(queue, key, time, null);
    }

    /**
     * The same for somebody who wants a line in the audit.
     *
     * @param note null: none is written
     */
    public boolean run(String queue, @Nullable String key, Duration time, @Nullable AuditNote note) {
        return database.atomically(database.numbered(connection -> {
            String gate = locked(connection, queue, key);
            if (gate == null) {
                return false;
            }
            try (PreparedStatement statement = connection.prepareStatement(database.sql(HOLD))) {
                statement.setString(1, queue);
                statement.setString(2, gate);
                statement.setLong(3, time.toMillis());
                if (statement.executeUpdate() == 0) {
                    return true; // there is no slow-down to end
                }
            }
            if (note != null) {
                note.write(connection, database.schema(), 0);
            }
            return true;
        }));
    }

    private @Nullable String locked(Connection connection, String queue, @Nullable String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(database.sql(GATE))) {
            statement.setString(1, lock(database.schema(), queue));
            statement.setString(2, key);
            statement.setString(3, queue);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : null;
            }
        }
    }

    /**
     * What a gate is locked by: advisory locks of a transaction. They are the database's, so the schema tells ours from those of another Rowlock. With the
     * number 0, this is the lock of the queue; with its key behind it, that of a key.
     */
    public static String lock(Schema schema, String queue) {
        return lockPrefix(schema) + queue + ' ';
    }

    /** Goes before a queue and a space. */
    static String lockPrefix(Schema schema) {
        return "rowlock gate " + schema.name() + ' ';
    }
}
