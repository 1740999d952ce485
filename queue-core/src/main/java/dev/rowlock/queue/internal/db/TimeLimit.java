package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * How long the server lets a statement of Rowlock's own run. A client that only stops waiting leaves a process of the server behind: that one
 * waits for its lock for as long as somebody holds it, while the pool opens the next connection, until the server has none left. So the server ends
 * the statement before the client gives its connection up. The limit holds for the statement's transaction, never for a caller's. A shorter
 * {@code statement_timeout} of role or database holds, except for statements that read whole tables: with it they would fail each time, and
 * retention would drop nothing.
 *
 * <p>A cancel sent by the client would not do: it also ends the wait of a commit for a synchronous standby, which then looks like success.
 * {@code statement_timeout} does not count during a commit.
 */
public final class TimeLimit {

    /** Of most statements. */
    public static final Duration STANDARD = Duration.ofSeconds(30);

    // A role's limits are meant for its usual statements. transaction_timeout exists since PostgreSQL 17.
    private static final String OF_WHOLE_TABLES = """
                set_config('statement_timeout', '%d', true),
                       CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN set_config('transaction_timeout', '0', true) END""";

    /** Of a client between two statements of a transaction: it has answered by then, unless it or the network stands still. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** One column of a SELECT, for transactions of several statements. */
    private static final String IDLE_SETTING = shorter("idle_in_transaction_session_timeout", IDLE);

    /** One column of a SELECT. */
    static final String SETTING = setting(STANDARD);

    private static final String PREFIX = "SELECT " + SETTING + ";\n";

    /**
     * One column of a SELECT, for claims. The server sends what they bring before it commits, and a client that reads no more, or cannot be reached, would
     * keep it there, with all locks: no time limit runs while the server sends. Elsewhere than on Linux a server cannot do this, and logs each try. What is set
     * already holds.
     */
    public static final String SENDING = """
            set_config('tcp_user_timeout',
                              CASE WHEN current_setting('tcp_user_timeout') = '0' AND version() LIKE '%%linux%%'
                                   THEN '%d' ELSE current_setting('tcp_user_timeout') END, true)""".formatted(IDLE.toMillis());

    /** Goes before a claim that brings its plan settings along. */
    public static final String CLAIM_PREFIX = "SELECT " + SETTING + ",\n       " + SENDING + ";\n";

    private TimeLimit() {}

    private static String setting(Duration limit) {
        if (limit.compareTo(STANDARD) > 0) {
            return OF_WHOLE_TABLES.formatted(limit.toMillis());
        }
        return shorter("statement_timeout", limit);
    }

    /** This limit, or a shorter one that holds already. */
    private static String shorter(String setting, Duration limit) {
        return """
                set_config('%1$s',
                              CASE WHEN current_setting('%1$s')::interval BETWEEN '1 us' AND '%2$d ms'
                                   THEN current_setting('%1$s') ELSE '%2$d' END, true)""".formatted(setting, limit.toMillis());
    }

    /** The text with this limit in place of the standard one. */
    static String within(Duration limit, String text) {
        return limit.equals(STANDARD) ? text : text.replace(SETTING, setting(limit));
    }

    /** So long the client waits: the server's answer that the time is up needs a moment. */
    public static Duration patience(Duration limit) {
        return limit.plus(limit.dividedBy(5));
    }

    /**
     * Limits the statements of a transaction that has begun, or begins with this, and the time between them. A node that stands still there would keep
     * its locks until the network gives it up, hours later, and with them a queue or a table.
     */
    static void set(Connection connection, Duration limit) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(within(limit, "SELECT %s, %s".formatted(SETTING, IDLE_SETTING)))) {
            statement.execute();
        }
    }

    /** Takes the limit between statements back, in a transaction of Rowlock's own that waits for code of the application. */
    public static void liftIdle(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT");
        }
    }

    /**
     * The statement with its limit in front, to be executed by {@link #query}. Within a transaction it is left as it is: one of ours has its limit
     * already, and a caller's is none of our business.
     */
    public static String before(Connection connection, String sql) throws SQLException {
        return connection.getAutoCommit() ? PREFIX + sql : sql;
    }

    /** Executes what {@link #before} has returned, and returns the statement's rows. */
    public static ResultSet query(PreparedStatement statement) throws SQLException {
        if (!statement.getConnection().getAutoCommit()) {
            return statement.executeQuery();
        }
        statement.execute();
        return IndexPlan.rows(statement);
    }
}
