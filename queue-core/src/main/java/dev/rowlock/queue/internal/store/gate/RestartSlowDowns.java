package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets slow-downs begin anew that began in the future: the server's clock was set back since, and they would last longer by as
 * much. None lasts longer than somebody has asked for, counted from now.
 */
public final class RestartSlowDowns {

    private static final int LIMIT = 1_000;

    // Two seconds are no step, only a correction.
    private static final String FIND = """
            SELECT s.queue, s.gate FROM rowlock.rate_state s
             WHERE s.held_since > extract(epoch FROM clock_timestamp()) + 2
               AND NOT EXISTS (SELECT FROM rowlock.rate_state later
                                WHERE later.queue = s.queue AND later.gate = s.gate AND later.number > s.number)
             ORDER BY s.queue, s.gate
             LIMIT ?
            """;

    private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(? || ?, 0))";

    // In a statement of its own, whose snapshot is newer than the lock: others may have done it.
    private static final String RESTART = """
            INSERT INTO rowlock.rate_state (queue, gate, number, next_at, held_since, held_until)
            SELECT last.queue, last.gate, nextval('rowlock.claim_token'), last.next_at, now.at, now.at + (last.held_until - last.held_since)
              FROM (SELECT extract(epoch FROM clock_timestamp())::double precision AS at) AS now,
                   (SELECT * FROM rowlock.rate_state s
                     WHERE s.queue = ? AND s.gate = ?
                     ORDER BY s.number DESC LIMIT 1) AS last
             WHERE last.held_since > now.at + 2
            """;

    private record Gate(String queue, String gate) {}

    private final Database database;

    public RestartSlowDowns(Database database) {
        this.database = database;
    }

    /** Returns how many. Each takes a transaction of its own. */
    public int run() {
        int restarted = 0;
        List<Gate> found;
        do {
            found = database.alone(this::find);
            for (Gate gate : found) {
                restarted += database.atomically(database.numbered(connection -> restart(connection, gate)));
            }
        } while (found.size() == LIMIT);
        return restarted;
    }

    private List<Gate> find(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(database.sql(FIND))) {
            statement.setInt(1, LIMIT);
            List<Gate> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new Gate(rows.getString(1), rows.getString(2)));
                }
            }
            return found;
        }
    }

    private int restart(Connection connection, Gate gate) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(database.sql(LOCK))) {
            statement.setString(1, GateLock.name(database.schema(), gate.queue));
            statement.setString(2, gate.gate);
            statement.execute();
        }
        try (PreparedStatement statement = connection.prepareStatement(database.sql(RESTART))) {
            statement.setString(1, gate.queue);
            statement.setString(2, gate.gate);
            return statement.executeUpdate();
        }
    }
}
