package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.namedparam.ParsedSql;

/**
 * One execution of a statement with named parameters, such as {@code :queue}, that is planned for the tables and the values of this moment ({@link
 * UncachedPlan}). For what does not run with each batch of jobs. Used once, by one thread.
 */
public final class ColdStatement {

    private final Connection connection;
    private final String sql;
    private final MapSqlParameterSource values = new MapSqlParameterSource();

    private ColdStatement(Connection connection, String sql) {
        this.connection = connection;
        this.sql = sql;
    }

    /** @param sql written for this database's schema; it has no other {@code ?} than in texts */
    public static ColdStatement on(Connection connection, String sql) {
        return new ColdStatement(connection, sql);
    }

    /**
     * Sets a parameter, wherever it stands.
     *
     * @param value of a class that the driver knows, or an array of such; null only where the statement says which type is meant
     */
    public ColdStatement set(String name, @Nullable Object value) {
        values.addValue(name, value);
        return this;
    }

    /** Sets several parameters. */
    public ColdStatement set(Map<String, ? extends @Nullable Object> of) {
        of.forEach(values::addValue);
        return this;
    }

    /** All rows of a query. */
    public <T> List<T> list(Row<T> row) throws SQLException {
        return run(statement -> {
            try (ResultSet rows = rows(statement)) {
                return row.rest(rows);
            }
        });
    }

    /** The first row of a query; empty: there is none. */
    public <T> Optional<T> first(Row<T> row) throws SQLException {
        return run(statement -> {
            try (ResultSet rows = rows(statement)) {
                return rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
            }
        });
    }

    /** The only row of a query that always has one. */
    public <T> T only(Row<T> row) throws SQLException {
        return first(row).orElseThrow(() -> new SQLException("expected a row"));
    }

    /** How many rows were changed. */
    public int update() throws SQLException {
        return run(PreparedStatement::executeUpdate);
    }

    /** Behind a prefix of {@link IndexPlan}, the statement's own. */
    private static ResultSet rows(PreparedStatement statement) throws SQLException {
        statement.execute();
        ResultSet rows = statement.getResultSet();
        while (statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)) {
            rows = statement.getResultSet();
        }
        return rows;
    }

    @FunctionalInterface
    private interface Execution<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    private <T> T run(Execution<T> execution) throws SQLException {
        ParsedSql parsed = NamedParameterUtils.parseSqlStatement(sql);
        String text = NamedParameterUtils.substituteNamedParameters(parsed, values);
        try (PreparedStatement statement = UncachedPlan.prepare(connection, text)) {
            bind(statement, NamedParameterUtils.buildValueArray(parsed, values, null));
            return execution.of(statement);
        }
    }

    private static void bind(PreparedStatement statement, @Nullable Object[] inOrder) throws SQLException {
        for (int i = 0; i < inOrder.length; i++) {
            if (inOrder[i] == null) {
                statement.setNull(i + 1, Types.NULL);
            } else {
                statement.setObject(i + 1, inOrder[i]);
            }
        }
    }
}
