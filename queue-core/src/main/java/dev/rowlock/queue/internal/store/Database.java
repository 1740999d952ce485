package dev.rowlock.queue.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Where the tables are, and the three ways to reach them: in the caller's transaction, in one of its own, or as a
 * single statement. Thread-safe.
 */
public final class Database {

    /** What is done with a connection. */
    @FunctionalInterface
    public interface Call<T> {
        T on(Connection connection) throws SQLException;
    }

    private static final Logger log = LoggerFactory.getLogger(Database.class);

    /** SQLSTATE classes 22 (data exception) and 23 (integrity constraint violation). */
    private static final Pattern REFUSED_VALUE = Pattern.compile("2[23].*");

    /** How long one of our statements may take before its connection counts as broken. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private static final Duration PATIENT_ANSWER_WITHIN = Duration.ofMinutes(15);

    private final DataSource dataSource;
    private final Schema schema;
    private final Duration answerWithin;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    public Database(DataSource dataSource, Schema schema) {
        this(dataSource, schema, ANSWER_WITHIN);
    }

    private Database(DataSource dataSource, Schema schema, Duration answerWithin) {
        this.dataSource = withoutTransactions(dataSource);
        this.schema = schema;
        this.answerWithin = answerWithin;
    }

    /** The same, for statements that may take long because they read whole tables. */
    public Database patient() {
        return new Database(dataSource, schema, PATIENT_ANSWER_WITHIN);
    }

    /** Through such a proxy every connection is the caller's, and whom transaction managers know is its target. */
    private static DataSource withoutTransactions(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target != null ? target : dataSource;
    }

    public Schema schema() {
        return schema;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    /** The statement, written for the schema {@code rowlock}, for this database's schema. */
    String sql(String text) {
        return schema.sql(text);
    }

    /**
     * Runs one statement by itself, on a connection of its own, whatever transaction the calling thread is in. One
     * round trip where the pool hands out connections in auto-commit mode.
     */
    public <T> T alone(Call<T> call) {
        return translating(() -> {
            try (Connection connection = dataSource.getConnection()) {
                return bounded(connection, () -> {
                    if (connection.getAutoCommit()) {
                        return call.on(connection);
                    }
                    return committing(connection, call);
                });
            }
        });
    }

    /**
     * Runs one statement by itself, on a connection that the calling thread owns: in auto-commit mode, and with a network
     * timeout already.
     */
    public <T> T alone(Connection own, Call<T> call) {
        return translating(() -> call.on(own));
    }

    /** Runs several statements in one transaction of their own. */
    public <T> T atomically(Call<T> call) {
        return translating(() -> {
            try (Connection connection = dataSource.getConnection()) {
                return bounded(connection, () -> {
                    boolean autoCommit = connection.getAutoCommit();
                    connection.setAutoCommit(false);
                    try {
                        return committing(connection, call);
                    } finally {
                        restore(connection, autoCommit);
                    }
                });
            }
        });
    }

    /** Runs one statement in the calling thread's transaction if there is one, otherwise by itself. */
    public <T> T joined(Call<T> call) {
        return TransactionSynchronizationManager.isActualTransactionActive() ? inCallersTransaction(call) : alone(call);
    }

    /** Runs several statements in the calling thread's transaction if there is one, otherwise in one of their own. */
    public <T> T joinedAtomically(Call<T> call) {
        return TransactionSynchronizationManager.isActualTransactionActive()
                ? inCallersTransaction(call)
                : atomically(call);
    }

    private <T> T inCallersTransaction(Call<T> call) {
        return translating(() -> {
            Connection connection = DataSourceUtils.doGetConnection(dataSource);
            try {
                return call.on(connection);
            } finally {
                DataSourceUtils.doReleaseConnection(connection, dataSource);
            }
        });
    }

    /**
     * Fails unless what is about to be written would join the calling thread's transaction, if there is one: silently
     * writing beside it would break the promise that jobs exist if and only if it commits.
     */
    public void requireWritable(String what) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return;
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "%s in a read-only transaction: use a writable one, or none".formatted(what));
        }
        if (!joinsTransaction()) {
            throw new IllegalStateException(
                    ("%s in a transaction that is not one of Rowlock's DataSource, so it could not commit together with it:"
                                    + " use that DataSource's transaction manager, or call it outside the transaction")
                            .formatted(what));
        }
    }

    /** Whether the calling thread is in a transaction on this DataSource. */
    public boolean joinsTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(dataSource);
    }

    /**
     * A peer that has gone away silently must not hold a thread of ours until TCP gives up. Callers' own transactions are
     * left as they are.
     */
    private <T> T bounded(Connection connection, SqlSupplier<T> work) throws SQLException {
        int before = connection.getNetworkTimeout();
        connection.setNetworkTimeout(Runnable::run, (int) answerWithin.toMillis());
        try {
            return work.get();
        } finally {
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, before);
            }
        }
    }

    private static <T> T committing(Connection connection, Call<T> call) throws SQLException {
        try {
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

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
            close(connection);
        }
    }

    /** A connection that cannot roll back must not be used again; closing it leaves nothing behind. */
    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("closing a broken connection failed", e);
        }
    }

    /** A connection that cannot take its mode back is broken: its pool finds out by itself, and what was done stands. */
    private static void restore(Connection connection, boolean autoCommit) {
        try {
            if (!connection.isClosed()) {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            log.debug("a connection is broken after its transaction", e);
        }
    }

    private <T> T translating(SqlSupplier<T> work) {
        try {
            return work.get();
        } catch (SQLException e) {
            SQLException safe = withoutContent(e);
            DataAccessException translated = translator.translate("rowlock", null, safe);
            throw translated != null ? translated : new UncategorizedSQLException("rowlock", null, safe);
        }
    }

    /** Where the server refuses a value, its detail and context quote it; but payloads are never logged. */
    private static SQLException withoutContent(SQLException e) {
        ServerErrorMessage server = e instanceof PSQLException refusal ? refusal.getServerErrorMessage() : null;
        if (server == null
                || !REFUSED_VALUE.matcher(String.valueOf(e.getSQLState())).matches()) {
            return e;
        }
        PSQLException safe = new PSQLException(withoutContent(server));
        safe.setStackTrace(e.getStackTrace());
        return safe;
    }

    /** What refused the value stays: whoever decides what to do about it must know which constraint it was, if any. */
    private static ServerErrorMessage withoutContent(ServerErrorMessage server) {
        StringBuilder fields = new StringBuilder();
        field(fields, 'S', server.getSeverity());
        field(fields, 'C', server.getSQLState());
        field(fields, 'M', server.getMessage());
        field(fields, 's', server.getSchema());
        field(fields, 't', server.getTable());
        field(fields, 'c', server.getColumn());
        field(fields, 'd', server.getDatatype());
        field(fields, 'n', server.getConstraint());
        return new ServerErrorMessage(fields.toString());
    }

    /** As the protocol writes it. */
    private static void field(StringBuilder fields, char name, @Nullable String value) {
        if (value != null) {
            fields.append(name).append(value).append('\0');
        }
    }

    @FunctionalInterface
    private interface SqlSupplier<T> {
        T get() throws SQLException;
    }
}
