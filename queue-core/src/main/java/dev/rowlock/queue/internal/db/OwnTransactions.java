package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.jdbc.PgConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.support.JdbcUtils;

/**
 * Transactions of Rowlock's own: read committed, whatever is the default of role, database or pool, and writable, though the
 * pool be read-only; with its plan settings, a statement is one transaction, whatever the driver was told. Thread-safe.
 *
 * <p>What role, database or server say about read-only holds: that is how an operator, or a provider whose disk is full, stops
 * all writing. So does a standby: searches may read there.
 *
 * <p>Where the defaults are the usual ones and the driver sends a statement right behind its settings, auto-commit does
 * that in one round trip. Elsewhere there is an explicit transaction. Which of the two it is, is asked once for each
 * connection. An explicit transaction begins with the {@link TimeLimit} of its statements.
 */
public final class OwnTransactions {

    private static final Logger log = LoggerFactory.getLogger(OwnTransactions.class);

    // The driver sends one statement right behind the other unless its mode is simple, or parameters have no type
    // (stringtype=unspecified) and it has learnt that rows may be long: then each is a transaction of its own. Only in
    // the second execution it has learnt that.
    private static final String LOOK = """
            SELECT set_config('rowlock.sent_before', 'yes', true);
            SELECT coalesce(current_setting('rowlock.sent_before', true), '') = 'yes',
                   current_setting('transaction_isolation') = 'read committed', ?::text /* any */
            """;

    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /**
     * What a connection does by itself.
     *
     * @param together two statements that are sent at once are one transaction, also in auto-commit mode
     * @param usual its transactions are read committed, and the pool does not make them read-only
     */
    private record Habits(boolean together, boolean usual) {}

    private final Map<Connection, Habits> known = Collections.synchronizedMap(new WeakHashMap<>());

    /** Runs one statement behind its settings, {@link TimeLimit} among them. */
    <T> T together(Connection connection, Duration limit, Database.Call<T> call) throws SQLException {
        Habits habits = habits(connection);
        return habits.usual() && habits.together() && connection.getAutoCommit()
                ? call.on(connection)
                : explicitly(connection, !habits.usual(), limit, call);
    }

    /**
     * Runs one or several statements.
     *
     * @param limit the server ends a statement that takes longer
     */
    public <T> T several(Connection connection, Duration limit, Database.Call<T> call) throws SQLException {
        return explicitly(connection, !habits(connection).usual(), limit, call);
    }

    /** Runs one or several statements on an idle connection whose habits somebody may have changed for a while. */
    <T> T anyhow(Connection connection, Duration limit, Database.Call<T> call) throws SQLException {
        return explicitly(connection, true, limit, call);
    }

    private Habits habits(Connection connection) throws SQLException {
        Connection physical =
                connection.isWrapperFor(BaseConnection.class) ? connection.unwrap(BaseConnection.class) : connection;
        Habits habits = known.get(physical);
        if (habits == null && onStandby(connection)) {
            // Where its default is serializable, it refuses all but transactions that say otherwise: also this look.
            return new Habits(false, false);
        }
        if (habits == null) {
            habits = look(connection);
            known.put(physical, habits);
        }
        return habits;
    }

    private static Habits look(Connection connection) throws SQLException {
        unforceBinary(connection);
        try (PreparedStatement statement = IndexPlan.prepare(connection, LOOK)) {
            statement.setString(1, "");
            Habits first = read(statement);
            Habits second = read(statement);
            boolean usual = second.usual() && !connection.isReadOnly();
            Habits habits = new Habits(first.together() && second.together(), usual);
            if (!habits.together() || !habits.usual()) {
                log.debug("a connection needs explicit transactions: {}", habits);
            }
            return habits;
        } finally {
            if (!connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }

    /** Forced to binary transfer (prepareThreshold=-1), the driver reads one statement in the formats of the other, and fails. */
    private static void unforceBinary(Connection connection) throws SQLException {
        if (connection.isWrapperFor(PgConnection.class)) {
            PgConnection driver = connection.unwrap(PgConnection.class);
            if (driver.getForceBinary() || driver.getPrepareThreshold() < 0) {
                driver.setForceBinary(false);
                driver.setPrepareThreshold(1);
            }
        }
    }

    private static Habits read(PreparedStatement statement) throws SQLException {
        try (ResultSet row = IndexPlan.query(statement)) {
            row.next();
            return new Habits(row.getBoolean(1), row.getBoolean(2));
        }
    }

    private static <T> T explicitly(Connection connection, boolean unusual, Duration limit, Database.Call<T> call)
            throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        if (autoCommit) {
            connection.setAutoCommit(false);
        } else {
            // Some pools hand out connections in a transaction that somebody left open. Where there is none, nothing is
            // sent.
            connection.rollback();
        }
        try {
            // A pool's connection may say read-only at each BEGIN, which auto-commit knows nothing of.
            return committing(connection, unusual || connection.isReadOnly(), limit, call);
        } finally {
            if (autoCommit) {
                restore(connection);
            }
        }
    }

    private static <T> T committing(Connection connection, boolean unusual, Duration limit, Database.Call<T> call)
            throws SQLException {
        try {
            if (unusual) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(
                            connection.isReadOnly() && !onStandby(connection)
                                    ? READ_COMMITTED + ", READ WRITE"
                                    : READ_COMMITTED);
                }
            }
            TimeLimit.set(connection, limit);
            T result = call.on(connection);
            connection.commit();
            return result;
        } catch (Throwable thrown) {
            // Also for what nobody declared: a call may read the caller's stream, and turning auto-commit on again
            // would commit what it had written by then.
            rollback(connection, thrown);
            throw thrown;
        }
    }

    /** A standby refuses transactions that are writable, also where they only read. The server tells the driver when it is promoted. */
    private static boolean onStandby(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class)
                && "on".equals(connection.unwrap(PGConnection.class).getParameterStatus("in_hot_standby"));
    }

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
            // It must not be used again, and closing it leaves nothing behind.
            JdbcUtils.closeConnection(connection);
        }
    }

    /** A connection that cannot take its mode back is broken: its pool finds out by itself, and what was done stands. */
    private static void restore(Connection connection) {
        try {
            if (!connection.isClosed()) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            log.debug("a connection is broken after its transaction", e);
        }
    }
}
