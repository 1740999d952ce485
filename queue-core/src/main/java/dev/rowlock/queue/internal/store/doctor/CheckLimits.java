package dev.rowlock.queue.internal.store.doctor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Makes the transaction of a check read-only, and limits its time on the server. */
public final class CheckLimits {

    private static final String SQL = """
            SELECT set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true),
                   set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true),
                   set_config('transaction_read_only', 'on', true)
            """;

    private CheckLimits() {}

    public static void set(Connection connection, Duration statement, Duration lock) throws SQLException {
        try (PreparedStatement limits = connection.prepareStatement(SQL)) {
            limits.setString(1, Long.toString(statement.toMillis()));
            limits.setString(2, Long.toString(lock.toMillis()));
            limits.execute();
        }
    }
}
