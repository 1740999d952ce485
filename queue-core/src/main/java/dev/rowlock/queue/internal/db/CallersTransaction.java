package dev.rowlock.queue.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells whether the calling thread's transaction is one on this DataSource, and whether it is still open. Thread-safe.
 *
 * <p><b>Whose transaction.</b> A connection that is bound to the thread proves nothing: Spring binds one for any read
 * inside any transaction. It belongs to a transaction on this DataSource if a manager of JDBC transactions says so, or if
 * it was bound by a manager that lends its connection (JPA, Hibernate): only those do not mark it as merely synchronized.
 *
 * <p><b>Still open.</b> After the commit, Spring calls {@code afterCommit} while everything looks as if the transaction
 * went on, and {@code afterCompletion} with everything but the synchronizations: see {@link EndCallback}. Where
 * transactions of several DataSources are nested, the one that has ended may be another one than ours.
 */
final class CallersTransaction {

    private static final TransactionDefinition IF_THERE_IS_ONE =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS);

    private final DataSource dataSource;
    private final PlatformTransactionManager jdbcTransactions;

    CallersTransaction(DataSource dataSource) {
        this.dataSource = dataSource;
        DataSourceTransactionManager observer = new DataSourceTransactionManager(dataSource);
        // It is only asked what there is, and must leave no trace.
        observer.setTransactionSynchronization(DataSourceTransactionManager.SYNCHRONIZATION_NEVER);
        this.jdbcTransactions = observer;
    }

    /** Where a write of the calling thread would go. */
    TransactionStanding standing() {
        boolean ours = holder() != null;
        if (!ours && !TransactionSynchronizationManager.isActualTransactionActive()) {
            return TransactionStanding.OUTSIDE;
        }
        if (ours && surelyOpen()) {
            return TransactionStanding.INSIDE;
        }
        EndCallback callback = EndCallback.current();
        if (callback == null) {
            return ours && !endedBeforeAnotherBegan() ? TransactionStanding.INSIDE : TransactionStanding.ELSEWHERE;
        }
        return ours ? standing(callback) : TransactionStanding.AFTER;
    }

    /** Spares most callers a look at the stack. A connection in use may have ended a transaction, and begun the next. */
    private boolean surelyOpen() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && Declared.connection() == holder()
                && inUse();
    }

    private boolean inUse() {
        try {
            Connection connection = DataSourceUtils.doGetConnection(dataSource);
            try {
                return open(connection);
            } finally {
                DataSourceUtils.doReleaseConnection(connection, dataSource);
            }
        } catch (SQLException e) {
            return false; // the write will say so
        }
    }

    /** A callback after our transaction's end has called code that is transactional elsewhere. */
    private boolean endedBeforeAnotherBegan() {
        return Declared.exists() && Declared.connection() != holder() && EndCallback.isAroundDeclaredTransaction();
    }

    private TransactionStanding standing(EndCallback callback) {
        return switch (oursIn(callback)) {
            case ENDED -> TransactionStanding.AFTER;
            case OPEN -> TransactionStanding.AROUND;
            case UNKNOWN -> TransactionStanding.ELSEWHERE;
        };
    }

    /** What became of this DataSource's transaction, in a callback after the end of one: that may be another one. */
    enum Fate {
        ENDED,
        OPEN,
        UNKNOWN
    }

    /**
     * Spring knows the transaction of the innermost {@code @Transactional} method that has not returned; one that throws
     * has not, while its transaction ends. Of a {@code TransactionTemplate} it tells nothing: then one can only know where
     * there is no other transaction.
     */
    Fate oursIn(EndCallback callback) {
        ConnectionHolder ours = holder();
        ConnectionHolder declared = callback.told() ? Declared.connection() : null;
        if (callback.thrown()) {
            return declared == ours ? Fate.ENDED : Fate.OPEN;
        }
        if (declared != null && declared == ours) {
            return Fate.OPEN;
        }
        return otherTransactions().allMatch(other -> other == declared) ? Fate.ENDED : Fate.UNKNOWN;
    }

    /** JDBC transactions on other DataSources, open or ended. */
    private Stream<ConnectionHolder> otherTransactions() {
        return TransactionSynchronizationManager.getResourceMap().entrySet().stream()
                .filter(bound -> bound.getKey() instanceof DataSource other && other != dataSource)
                .map(bound -> new CallersTransaction((DataSource) bound.getKey()).holder())
                .filter(Objects::nonNull);
    }

    /** The connection of the transaction on this DataSource, open or ended; null if there is none. */
    @Nullable
    ConnectionHolder holder() {
        Object bound = TransactionSynchronizationManager.getResource(dataSource);
        return bound instanceof ConnectionHolder holder && (lent(holder) || ofJdbcTransaction()) ? holder : null;
    }

    /** Bound by a manager whose transaction it is, not by a read that happened to come by. */
    private static boolean lent(ConnectionHolder holder) {
        return !holder.isSynchronizedWithTransaction();
    }

    private boolean ofJdbcTransaction() {
        return jdbcTransactions.getTransaction(IF_THERE_IS_ONE).hasTransaction();
    }

    /** Whether nothing is going on in the connection: what is written to it next begins a transaction. */
    static boolean idle(Connection connection) throws SQLException {
        return !connection.isClosed() && state(connection) == TransactionState.IDLE;
    }

    static boolean open(Connection connection) throws SQLException {
        return !connection.isClosed() && state(connection) == TransactionState.OPEN;
    }

    private static @Nullable TransactionState state(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState()
                : null;
    }

    /** The transaction of the innermost {@code @Transactional} method, as Spring keeps it for its own. */
    private static final class Declared extends TransactionAspectSupport {

        static boolean exists() {
            return currentTransactionInfo() != null;
        }

        /** Null if there is none, or it is not one of JDBC. */
        static @Nullable ConnectionHolder connection() {
            TransactionInfo declared = currentTransactionInfo();
            return declared != null
                            && declared.hasTransaction()
                            && declared.getTransactionStatus() instanceof DefaultTransactionStatus status
                            && status.hasTransaction()
                            && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                            && jdbc.hasConnectionHolder()
                    ? jdbc.getConnectionHolder()
                    : null;
        }
    }
}
