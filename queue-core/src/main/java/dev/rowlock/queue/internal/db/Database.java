package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.internal.db.CallersTransaction.Fate;
import dev.rowlock.queue.internal.db.Numbering.OldPrimaryException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronization;
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

    /** SQLSTATE classes of data exceptions, constraints, views' check options, limits, and of what triggers and functions raise. */
    private static final Pattern REFUSED_VALUE = Pattern.compile("(2[1237]|3[89]|44|54|P0).*");

    private static final Duration PATIENT_ANSWER_WITHIN = Duration.ofMinutes(15);

    /** An impatient one waits so many times less long. */
    private static final int IMPATIENCE = 6;

    private final DataSource dataSource;
    private final Schema schema;
    private final Encryption encryption;
    private final Duration answerWithin;
    private final OwnTransactions own;
    private final Numbering numbering;
    private final CallersTransaction callers;
    private final @Nullable NestedTransactions nested; // null: transactions of its own are never nested in the caller's
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /** Where nothing is encrypted. */
    public Database(DataSource dataSource, Schema schema) {
        this(dataSource, schema, Encryption.NONE);
    }

    public Database(DataSource dataSource, Schema schema, Encryption encryption) {
        this.dataSource = withoutTransactions(dataSource);
        this.schema = schema;
        this.encryption = encryption;
        this.answerWithin = TimeLimit.STANDARD;
        this.own = new OwnTransactions();
        this.numbering = new Numbering(schema);
        this.callers = new CallersTransaction(this.dataSource);
        this.nested = null;
    }

    private Database(Database same, Duration answerWithin, @Nullable NestedTransactions nested) {
        this.dataSource = same.dataSource;
        this.schema = same.schema;
        this.encryption = same.encryption;
        this.answerWithin = answerWithin;
        this.own = same.own;
        this.numbering = same.numbering;
        this.callers = same.callers;
        this.nested = nested;
    }

    /** The same, for statements that may take long because they read whole tables. */
    public Database patient() {
        return new Database(this, PATIENT_ANSWER_WITHIN, nested);
    }

    /** The same, for small statements that others wait for. */
    public Database impatient() {
        return new Database(this, answerWithin.dividedBy(IMPATIENCE), nested);
    }

    /**
     * The same, whose own transactions are nested in the calling thread's transaction wherever there is one: behind a savepoint, and nothing of
     * them is committed before that is. For tests, whose transaction is rolled back. One thread at a time.
     */
    public Database nesting() {
        return new Database(this, answerWithin, new NestedTransactions());
    }

    /** Whether a transaction of its own would be nested in the calling thread's transaction now. */
    public boolean nests() {
        return nested != null && standing().joins();
    }

    /**
     * Does some work, which may throw nothing, in the calling thread's transaction. Where transactions {@linkplain #nests() nest}, all that it
     * writes is undone unless its result says that it stays.
     */
    public <T> T attempt(Supplier<T> work, Predicate<T> stays) {
        NestedTransactions nests = nested;
        return nests == null || !nests()
                ? work.get()
                : inCallersTransaction(connection -> nests.attempt(connection, callers.holder(), work, stays));
    }

    /** What the {@link #attempt} under way has written by now stays, as it would where each statement commits. */
    public void keepAttempt() {
        NestedTransactions nests = nested;
        if (nests != null && nests()) {
            inCallersTransaction(connection -> {
                nests.keep(connection);
                return nests;
            });
        }
    }

    /** Leaves the calling thread's transaction with the settings that it had before others were nested in it. */
    public void restoreSettings() {
        NestedTransactions nests = nested;
        if (nests != null && nests()) {
            inCallersTransaction(connection -> {
                nests.restore(connection);
                return nests;
            });
        }
    }

    /** How long a statement may take: then the server ends it, or its connection counts as broken a moment later. */
    public Duration answerWithin() {
        return answerWithin;
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

    /** How what jobs carry and say lies in the tables. */
    public Encryption encryption() {
        return encryption;
    }

    /** The same call, on a connection where the numbers that it draws are new. */
    public <T> Call<T> numbered(Call<T> call) {
        return connection -> {
            numbering.check(connection);
            return call.on(connection);
        };
    }

    /** Sees to it that numbers that are drawn are new. */
    public Numbering numbering() {
        return numbering;
    }

    /** The statement, written for the schema {@code rowlock} and the standard time limit, for this database's. */
    public String sql(String text) {
        return schema.sql(TimeLimit.within(answerWithin, text));
    }

    /**
     * Runs one statement by itself, on a connection of its own, whatever transaction the calling thread is in. One round trip where pool, driver
     * and server have the usual settings. So it must bring its time limit along: by a prefix of {@link IndexPlan}, or by {@link TimeLimit#before}.
     */
    public <T> T atOnce(Call<T> call) {
        return byItself(call, connection -> own.together(connection, answerWithin, call));
    }

    /** Runs one statement by itself, on a connection of its own, whatever transaction the calling thread is in. Two round trips more. */
    public <T> T alone(Call<T> call) {
        return atomically(call);
    }

    /** Runs several statements in one transaction of their own. */
    public <T> T atomically(Call<T> call) {
        return atomically(answerWithin, call);
    }

    /** The same with another limit for each statement: less than the usual one, or the client gives up before. */
    public <T> T atomically(Duration limit, Call<T> call) {
        return byItself(call, connection -> own.several(connection, limit, call));
    }

    /** Runs one statement without plan settings in the calling thread's transaction if there is one, otherwise by itself. */
    public <T> T joined(Call<T> call) {
        return joinedAtomically(standing(), call);
    }

    /** The same in one round trip, as {@link #atOnce}, for callers who know how the thread stands. */
    public <T> T joinedAtOnce(TransactionStanding standing, Call<T> call) {
        return joined(standing, call, connection -> own.together(connection, answerWithin, call));
    }

    /** Runs several statements in the calling thread's transaction if there is one, otherwise in one of their own. */
    public <T> T joinedAtomically(TransactionStanding standing, Call<T> call) {
        return joined(standing, call, connection -> own.several(connection, answerWithin, call));
    }

    private <T> T joined(TransactionStanding standing, Call<T> call, Call<T> throughPool) {
        return switch (standing) {
            case INSIDE, AROUND -> inCallersTransaction(call);
            case AFTER -> afterTransaction(call, throughPool);
            case OUTSIDE, ELSEWHERE -> fromPool(throughPool);
        };
    }

    private <T> T byItself(Call<T> call, Call<T> throughPool) {
        NestedTransactions nests = nested;
        return nests != null && nests()
                ? inCallersTransaction(connection -> nests.run(connection, call))
                : fromPool(throughPool);
    }

    private <T> T fromPool(Call<T> work) {
        return translating(() -> pooled(work));
    }

    private <T> T pooled(Call<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            try {
                return bounded(connection, () -> work.on(connection));
            } catch (OldPrimaryException e) {
                // The next one may lead to the new primary.
                connection.abort(Runnable::run);
                throw e;
            }
        }
    }

    private <T> T inCallersTransaction(Call<T> call) {
        return translating(() -> onCallersConnection(call));
    }

    /**
     * The connection of a transaction that has ended stays with its thread until all have heard of the end. A second one
     * for each thread would be more than a pool may have, so the same one is used unless somebody else is using it.
     */
    private <T> T afterTransaction(Call<T> call, Call<T> throughPool) {
        if (callers.holder() == null) {
            return fromPool(throughPool);
        }
        return translating(() -> onCallersConnection(connection -> CallersTransaction.idle(connection)
                ? bounded(connection, () -> own.anyhow(connection, answerWithin, call))
                : pooled(throughPool)));
    }

    private <T> T onCallersConnection(Call<T> call) throws SQLException {
        Connection connection = DataSourceUtils.doGetConnection(dataSource);
        try {
            return call.on(connection);
        } finally {
            DataSourceUtils.doReleaseConnection(connection, dataSource);
        }
    }

    /** How the calling thread stands to a transaction. */
    public TransactionStanding standing() {
        return callers.standing();
    }

    /** Completes once the calling thread's transaction has ended, however it does. Null: there is none, or nobody is told of its end. */
    public @Nullable CompletableFuture<Void> endOfTransaction() {
        if (!standing().joins() || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return null;
        }
        CompletableFuture<Void> end = new CompletableFuture<>();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                end.complete(null);
            }
        });
        return end;
    }

    /**
     * The isolation of the calling thread's transaction if all of it sees one snapshot: it cannot change rows that others have changed since. Null: it
     * sees what others commit, or there is none.
     */
    public @Nullable String isolationOfOneSnapshot() {
        if (!standing().joins()) {
            return null;
        }
        Integer declared = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        int level = declared != null ? declared : inCallersTransaction(Connection::getTransactionIsolation);
        return switch (level) {
            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
            default -> null;
        };
    }

    /**
     * Fails unless what is about to be written would join the calling thread's transaction, if there is one: silently
     * writing beside it would break the promise that jobs exist if and only if it commits. Returns how the thread stands.
     */
    public TransactionStanding requireWritable(String what) {
        TransactionStanding standing = standing();
        if (standing == TransactionStanding.ELSEWHERE) {
            throw new IllegalStateException(
                    ("%s in a transaction that is not one of Rowlock's DataSource, so it could not commit together with it:"
                                    + " use that DataSource's transaction manager (with REQUIRES_NEW in a callback after a transaction's end), or call it outside the transaction")
                            .formatted(what));
        }
        if (standing.joins() && TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "%s in a read-only transaction: use a writable one, or none".formatted(what));
        }
        return standing;
    }

    /**
     * Says in {@code afterCompletion} whether what was written {@link TransactionStanding#INSIDE} a transaction may be committed.
     *
     * <p>A callback after a transaction's end may call code that asks for any transaction; Spring gives it the ended one,
     * which nobody commits again. That is done here, for all that this code has written.
     *
     * @param status as Spring says
     * @param heardBefore whether the caller was told that the transaction is about to end
     */
    public boolean mayBeCommitted(int status, boolean heardBefore) {
        return switch (status) {
            case TransactionSynchronization.STATUS_COMMITTED -> heardBefore || committedLate(EndCallback.own());
            case TransactionSynchronization.STATUS_ROLLED_BACK -> false;
            default -> {
                EndCallback around = EndCallback.around();
                yield around == null || committedLate(around);
            }
        };
    }

    private boolean committedLate(EndCallback callback) {
        ConnectionHolder holder = callers.holder();
        if (holder == null) {
            return true;
        }
        Fate fate = callers.oursIn(callback);
        if (fate == Fate.UNKNOWN) {
            log.error(
                    "jobs were enqueued by code that a callback after a transaction's end called, while there is a transaction of another DataSource: nobody can know whether theirs is still open, so they may be lost. Use REQUIRES_NEW there");
        }
        if (fate != Fate.ENDED) {
            return true;
        }
        return translating(() -> onCallersConnection(connection -> {
            if (CallersTransaction.open(connection) && !connection.getAutoCommit()) {
                if (holder.isRollbackOnly()) {
                    connection.rollback();
                } else {
                    connection.commit();
                }
            }
            return !holder.isRollbackOnly();
        }));
    }

    /**
     * A peer that has gone away silently must not hold a thread of ours until TCP gives up. One that is only slow has ended the statement by
     * then ({@link TimeLimit}). Callers' own transactions are left as they are.
     */
    private <T> T bounded(Connection connection, SqlSupplier<T> work) throws SQLException {
        int before = connection.getNetworkTimeout();
        connection.setNetworkTimeout(
                Runnable::run, (int) TimeLimit.patience(answerWithin).toMillis());
        try {
            return work.get();
        } finally {
            if (!connection.isClosed()) {
                connection.setNetworkTimeout(Runnable::run, before);
            }
        }
    }

    private <T> T translating(SqlSupplier<T> work) {
        try {
            return work.get();
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** As all that come out of here: for those who go on in their transaction, behind a savepoint. */
    public DataAccessException translated(SQLException e) {
        SQLException safe = withoutContent(e);
        DataAccessException translated = translator.translate("rowlock", null, safe);
        return translated != null ? translated : new UncategorizedSQLException("rowlock", null, safe);
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
