package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * Pins the plans of the hot statements to index scans, and limits their time ({@link TimeLimit}).
 *
 * <p>Live rooms are empty one minute and hold millions the next, so statistics are always wrong, and a plan that was
 * cached for an empty table would scan a full one. With these settings every plan, made at whatever moment, is the one
 * that is right for a full table, so it is made once for a connection and kept: planning anew for the first ten
 * executions, as driver and server do by themselves, cost 50 young nodes a tenth of all server time. Nor are they ever
 * compiled: a plan that is switched off but needed all the same, or statistics of another time, look so expensive that the
 * server would, for a hundred times what they take. The settings last
 * for the statement's own transaction only, and travel in the same round trip: the driver sends both statements before
 * it waits. Inside a caller's transaction the settings would outlive the statement: there they stand between {@link
 * #OUTCOMES_WITHIN} and {@link #RESTORED}.
 */
public final class IndexPlan {

    private static final String PLAN = """
            set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                   set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true),
                   set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)""";

    private static final String SETTINGS = TimeLimit.SETTING + ",\n       " + PLAN;

    private static final String NESTED_LOOPS = "set_config('enable_hashjoin', 'off', true)";

    // Between rows and an array of outcomes a nested loop may be the wrong way round: for each row of a table that was
    // believed to be empty, all outcomes.
    private static final String HASH_JOINS =
            "set_config('enable_hashjoin', 'on', true), set_config('enable_nestloop', 'off', true)";

    /** Goes before the statement's text. */
    public static final String PREFIX = "SELECT " + SETTINGS + ", " + NESTED_LOOPS + ";\n";

    /**
     * Goes before a statement that joins claimed rows, picked by {@code id = ANY}, with their outcomes. A row that
     * somebody else has locked must not hold up its neighbours.
     */
    public static final String OUTCOMES_PREFIX =
            "SELECT " + SETTINGS + ", " + HASH_JOINS + ", set_config('lock_timeout', '500ms', true);\n";

    /**
     * Goes before a statement that reaches tables by {@code LATERAL} looks and by {@code = ANY}, and joins nothing else but what it has found.
     * Such looks are nested loops whatever the settings are; all other joins are made by hashing. A row that somebody else has locked must not hold up
     * its neighbours.
     */
    public static final String LOOKS_PREFIX = OUTCOMES_PREFIX;

    /** The settings that {@link #OUTCOMES_WITHIN} changes. */
    private static final List<String> CHANGED = List.of(
            "enable_seqscan",
            "enable_bitmapscan",
            "enable_mergejoin",
            "enable_sort",
            "plan_cache_mode",
            "jit",
            "enable_hashjoin",
            "enable_nestloop");

    /**
     * As {@link #OUTCOMES_PREFIX} inside a caller's transaction: notes what the settings were, and leaves its time limits alone. If
     * the statement fails, so does the transaction, and the settings go with it.
     */
    public static final String OUTCOMES_WITHIN = CHANGED.stream()
                    .map("set_config('rowlock_plan.%1$s', current_setting('%1$s'), true)"::formatted)
                    .collect(Collectors.joining(", ", "SELECT ", ";\n"))
            + "SELECT " + PLAN + ", " + HASH_JOINS + ";\n";

    /** Goes behind the statement's text, which ends with a semicolon: the settings are as they were. */
    public static final String RESTORED = CHANGED.stream()
            .map("set_config('%1$s', current_setting('rowlock_plan.%1$s'), true)"::formatted)
            .collect(Collectors.joining(", ", "SELECT ", "\n"));

    private IndexPlan() {}

    /** The prefix with more columns before the settings, which {@link #executePrefix} returns. */
    public static String prefixAnd(String columns) {
        return "SELECT " + columns + ", " + SETTINGS + ", " + NESTED_LOOPS + ";\n";
    }

    /** Prepares prefix and statement, on the server from the first execution on unless the driver was told never to. */
    public static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        if (statement.isWrapperFor(PGStatement.class)) {
            PGStatement prepared = statement.unwrap(PGStatement.class);
            if (prepared.getPrepareThreshold() > 1) {
                prepared.setPrepareThreshold(1);
            }
        }
        return statement;
    }

    /** Executes prefix and statement, and returns the statement's rows. */
    public static ResultSet query(PreparedStatement statement) throws SQLException {
        statement.execute();
        return rows(statement);
    }

    /** Executes prefix and statement with these parameters, in the order of the text, and reads all of the statement's rows. */
    public static <T> List<T> list(Connection connection, String sql, Row<T> row, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql)) {
            set(statement, parameters);
            try (ResultSet rows = query(statement)) {
                return row.rest(rows);
            }
        }
    }

    /** Sets the parameters in the order of the text. */
    public static void set(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
    }

    /** Executes what begins with {@link #OUTCOMES_WITHIN}, and returns the statement's rows. */
    public static ResultSet queryWithin(PreparedStatement statement) throws SQLException {
        statement.execute();
        rows(statement).close();
        return rows(statement);
    }

    /** Executes prefix and statement, and returns the prefix's row, to be read before the statement's {@link #rows}. */
    public static ResultSet executePrefix(PreparedStatement statement) throws SQLException {
        statement.execute();
        ResultSet prefix = statement.getResultSet();
        prefix.next();
        return prefix;
    }

    /** After the prefix's, the statement's rows. */
    public static ResultSet rows(PreparedStatement statement) throws SQLException {
        if (!statement.getMoreResults()) {
            throw new SQLException("expected rows after the plan settings");
        }
        return statement.getResultSet();
    }
}
