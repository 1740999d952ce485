package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * One connection whose server tells the plan of every statement that runs on it. Not what {@code EXPLAIN} would choose
 * for a text like it, but what was executed, with the driver's parameters, custom or generic.
 */
public final class ExplainedDatabase extends AbstractDataSource implements AutoCloseable {

    public enum Plans {
        CUSTOM("force_custom_plan"),
        GENERIC("force_generic_plan"),
        /** As it happens: custom ones first, then what the server thinks is better. */
        AUTO("auto");

        private final String mode;

        Plans(String mode) {
            this.mode = mode;
        }
    }

    private final Connection connection;
    private final Schema schema;
    private final List<String> plans = new ArrayList<>();

    public ExplainedDatabase(TestDatabase test, Schema schema, Plans plans) throws SQLException {
        this.connection = test.superuser().getConnection(); // who else may not load auto_explain
        this.schema = schema;
        try (Statement statement = connection.createStatement()) {
            statement.execute("LOAD 'auto_explain'");
            statement.execute("SET quote_all_identifiers = off"); // tests read the plans
            statement.execute("SET auto_explain.log_min_duration = 0");
            statement.execute("SET auto_explain.log_level = 'notice'");
            statement.execute("SET auto_explain.log_analyze = on");
            statement.execute("SET auto_explain.log_timing = off");
            statement.execute("SET auto_explain.log_buffers = on");
            statement.execute("SET plan_cache_mode = '" + plans.mode + "'");
            if (connection.getMetaData().getDatabaseMajorVersion() >= 16) {
                statement.execute("SET auto_explain.log_parameter_max_length = 0");
            }
        }
        // A statement with a name on the server from its first execution on, so that its plan is kept.
        connection.unwrap(PGConnection.class).setPrepareThreshold(1);
    }

    /** The plans of statements in functions come too, each before that of the statement that calls its function. */
    public ExplainedDatabase withFunctions() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET auto_explain.log_nested_statements = on");
        }
        return this;
    }

    public Database database() {
        return new Database(this, schema);
    }

    /** The plan of the last statement that used our tables. */
    public String lastPlan() {
        if (plans.isEmpty()) {
            throw new IllegalStateException("the server told no plan");
        }
        return plans.get(plans.size() - 1);
    }

    /** The plans of all statements that used our tables so far. */
    public List<String> plans() {
        return List.copyOf(plans);
    }

    /** How many executions of our statements used a generic plan. */
    public long genericPlans() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT coalesce(sum(generic_plans), 0) FROM pg_prepared_statements WHERE position(? IN statement) > 0")) {
            statement.setString(1, '"' + schema.name() + "\".");
            try (var rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    @Override
    public Connection getConnection() {
        return proxy(
                Connection.class,
                connection,
                result -> result instanceof PreparedStatement prepared
                        ? proxy(PreparedStatement.class, prepared, UnaryOperator.identity())
                        : result);
    }

    @Override
    public Connection getConnection(String username, String password) {
        return getConnection();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

    /** Notices hang on their statement, so they are read before it is closed. The connection stays open. */
    private <T> T proxy(Class<T> type, T target, UnaryOperator<Object> answer) {
        return Proxies.of(type, (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                if (target == connection) {
                    return null;
                }
                read(((Statement) target).getWarnings());
            }
            if (method.getName().equals("setSavepoint")) {
                readBeforeSavepoint();
            }
            try {
                return answer.apply(Proxies.call(target, method, arguments));
            } finally {
                readLate(method.getName());
            }
        });
    }

    /** In an explicit transaction, the last statement ends with it, and its notices hang on the connection. */
    private void readLate(String method) throws SQLException {
        if (method.equals("commit") || method.equals("rollback")) {
            read(connection.getWarnings());
            connection.clearWarnings();
        }
    }

    /** A statement in an explicit transaction ends with the next one. The driver drops the notices of its own. */
    private void readBeforeSavepoint() throws SQLException {
        try (Statement next = connection.createStatement()) {
            next.execute("SELECT 1");
            read(next.getWarnings());
        }
    }

    private void read(SQLWarning first) {
        for (SQLWarning notice = first; notice != null; notice = notice.getNextWarning()) {
            String text = String.valueOf(notice.getMessage());
            // The text of the query stands before its plan.
            int plan = text.lastIndexOf('\n', text.indexOf("(cost="));
            if (text.contains('"' + schema.name() + "\".") && plan > 0) {
                plans.add(text.substring(plan + 1));
            }
        }
    }
}
