package dev.rowlock.queue.internal.store;

import java.lang.StackWalker.StackFrame;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Tells whether the calling thread's transaction is one on this DataSource, and whether it is still open. Thread-safe.
 *
 * <p><b>Whose transaction.</b> A connection that is bound to the thread proves nothing: Spring binds one for any read
 * inside any transaction. It belongs to a transaction on this DataSource if a manager of JDBC transactions says so, or if
 * it was bound by a manager that lends its connection (JPA, Hibernate): only those do not mark it as merely synchronized.
 *
 * <p><b>Still open.</b> After the commit, Spring calls {@code afterCommit} while everything looks as if the transaction
 * went on, and {@code afterCompletion} with everything but the synchronizations. No state tells {@code afterCommit} from
 * the time before, but the stack does.
 */
final class CallersTransaction {

    private static final TransactionDefinition IF_THERE_IS_ONE =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS);

    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

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
    Standing standing() {
        boolean ours = holder() != null;
        if (!ours && !TransactionSynchronizationManager.isActualTransactionActive()) {
            return Standing.OUTSIDE;
        }
        if (ended()) {
            return Standing.AFTER;
        }
        return ours ? Standing.INSIDE : Standing.ELSEWHERE;
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

    private static boolean ended() {
        boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();
        if (!synchronizing && TransactionSynchronizationManager.isActualTransactionActive()) {
            return true; // so it is in afterCompletion, and nowhere else
        }
        return STACK.walk(frames -> calledAfterTheEnd(frames, synchronizing));
    }

    /** Looks outwards as far as the innermost transaction that shows on the stack. */
    private static boolean calledAfterTheEnd(Stream<StackFrame> frames, boolean synchronizing) {
        Class<?> called = CallersTransaction.class;
        for (Iterator<StackFrame> outwards = frames.iterator(); outwards.hasNext(); ) {
            StackFrame frame = outwards.next();
            if (beginsTransaction(frame)) {
                return false;
            }
            if (calls(frame, "invokeAfterCompletion")) {
                return !synchronizing; // otherwise a new transaction has begun since
            }
            if (calls(frame, "invokeAfterCommit")) {
                return synchronizing && registered(called); // otherwise, again, a new one
            }
            called = frame.getDeclaringClass();
        }
        return false;
    }

    private static boolean beginsTransaction(StackFrame frame) {
        Class<?> type = frame.getDeclaringClass();
        return (type == TransactionTemplate.class && frame.getMethodName().equals("execute"))
                || (type == TransactionAspectSupport.class
                        && frame.getMethodName().equals("invokeWithinTransaction"));
    }

    private static boolean calls(StackFrame frame, String callbacks) {
        return frame.getDeclaringClass() == TransactionSynchronizationUtils.class
                && frame.getMethodName().equals(callbacks);
    }

    private static boolean registered(Class<?> synchronization) {
        return TransactionSynchronizationManager.getSynchronizations().stream().anyMatch(synchronization::isInstance);
    }

    /**
     * Whether the calling thread, in {@code afterCompletion}, took part in a transaction that had ended before: a
     * callback after its end called code that asks for any transaction, and Spring gave it the ended one.
     */
    static boolean tookPartInEndedTransaction() {
        return STACK.walk(frames -> frames.filter(frame -> calls(frame, "invokeAfterCompletion"))
                        .limit(2)
                        .count())
                == 2;
    }
}
