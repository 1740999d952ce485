package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;

/** Transactions within a transaction of the caller's, by savepoints. One thread at a time. */
final class NestedTransactions {

    /** What Rowlock's statements set for their own transaction. Here that of the caller goes on. */
    private static final List<String> SETTINGS = List.of(
            "enable_seqscan",
            "enable_bitmapscan",
            "enable_mergejoin",
            "enable_sort",
            "enable_hashjoin",
            "enable_nestloop",
            "plan_cache_mode",
            "jit",
            "lock_timeout",
            "statement_timeout",
            "idle_in_transaction_session_timeout",
            "tcp_user_timeout");

    private static final String NOTE = SETTINGS.stream()
            .map("set_config('rowlock_nested.%1$s', current_setting('%1$s'), true)"::formatted)
            .collect(Collectors.joining(", ", "SELECT ", ""));

    private static final String RESTORE = SETTINGS.stream()
            .map(
                    "set_config('%1$s', coalesce(nullif(current_setting('rowlock_nested.%1$s', true), ''), current_setting('%1$s')), true)"
                            ::formatted)
            .collect(Collectors.joining(", ", "SELECT ", ""));

    private boolean changed; // the settings may be others than the caller's, which are noted
    private @Nullable Savepoint attempt; // what is behind it is undone if the attempt under way fails

    /** Runs statements that were written for a transaction of their own. If one fails, the caller's transaction goes on without them. */
    <T> T run(Connection connection, Database.Call<T> call) throws SQLException {
        if (!changed) {
            execute(connection, NOTE);
            changed = true;
        }
        execute(connection, "SAVEPOINT rowlock_nested");
        try {
            T result = call.on(connection);
            execute(connection, "RELEASE SAVEPOINT rowlock_nested");
            return result;
        } catch (Throwable thrown) {
            undo(connection, thrown);
            throw thrown;
        } finally {
            if (attempt != null && CallersTransaction.open(connection)) {
                restore(connection);
            }
        }
    }

    private static void undo(Connection connection, Throwable cause) {
        try {
            execute(connection, "ROLLBACK TO SAVEPOINT rowlock_nested; RELEASE SAVEPOINT rowlock_nested");
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** The settings are the caller's again. */
    void restore(Connection connection) throws SQLException {
        if (changed) {
            execute(connection, RESTORE);
            changed = false;
        }
    }

    /**
     * Does the work. Unless its result stays, all that it has written is undone, and so is what it has said about the end of the
     * transaction.
     */
    <T> T attempt(Connection connection, @Nullable ConnectionHolder holder, Supplier<T> work, Predicate<T> stays)
            throws SQLException {
        restore(connection);
        attempt = connection.setSavepoint();
        try {
            T result = work.get();
            if (stays.test(result)) {
                requireUsable(connection);
            } else {
                connection.rollback(attempt);
            }
            return result;
        } finally {
            attempt = null;
            if (holder != null) {
                holder.resetRollbackOnly(); // of a transaction that took part in the caller's, which goes on
            }
        }
    }

    /** What the attempt under way has written by now is not undone any more. */
    void keep(Connection connection) throws SQLException {
        if (attempt != null) {
            attempt = connection.setSavepoint();
        }
    }

    /** Where each statement commits by itself, one that fails does no harm to the next ones. In a transaction it ends them all. */
    private void requireUsable(Connection connection) throws SQLException {
        if (!CallersTransaction.open(connection)) {
            connection.rollback(attempt);
            throw new IllegalStateException(
                    "a statement of the listener failed, and the listener went on: PostgreSQL takes nothing more in a transaction after that. Let the exception through, say ON CONFLICT DO NOTHING, or run this test without a transaction, as @Transactional(propagation = NOT_SUPPORTED)");
        }
    }

    private static void execute(Connection connection, String commands) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(commands);
        }
    }
}
