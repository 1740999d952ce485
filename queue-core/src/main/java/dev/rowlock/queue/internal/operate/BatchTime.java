package dev.rowlock.queue.internal.operate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** How long the statements of a batch may take. The server stops them, so that none works on for nobody. */
final class BatchTime {

    // A shorter limit of the role's own holds.
    private static final String WITHIN = """
            SELECT set_config('statement_timeout',
                              CASE WHEN own > interval '0' AND own < ? * interval '1 ms' THEN current_setting('statement_timeout')
                                   ELSE ? END, true)
              FROM CAST(current_setting('statement_timeout') AS interval) AS own
            """;

    private static final String LOCKS_WITHIN = "SELECT set_config('lock_timeout', ?, true)";

    private BatchTime() {}

    /** Until the transaction ends. */
    static void limit(Connection connection, Duration most) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WITHIN)) {
            statement.setLong(1, most.toMillis());
            statement.setString(2, Long.toString(most.toMillis()));
            statement.execute();
        }
    }

    /** Until the transaction ends: who waits for a lock fails earlier than who is slow. */
    static void limitLocks(Connection connection, Duration most) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCKS_WITHIN)) {
            statement.setString(1, Long.toString(most.toMillis() / 4));
            statement.execute();
        }
    }
}
