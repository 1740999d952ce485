package dev.rowlock.queue.internal.thread;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * How a thread looks before code of the application runs on it. Afterwards it looks like that again, whatever that
 * code did: an interrupt that it left would end a wait of ours, a transaction would take in the next job, and a class loader
 * or the words of a log context would be another job's.
 *
 * <p>Threads of ours have nothing of Spring's and no log context before. A thread of the application may: it starts a node, within a transaction perhaps.
 *
 * <p>Costs less than a tenth of a microsecond as long as nothing was left.
 */
public final class ThreadState {

    private static final Logger log = LoggerFactory.getLogger(ThreadState.class);

    private final Thread thread;
    private final String name;
    private final int priority;
    private final ClassLoader loader; // may be null
    private final boolean transactions; // the application's, or resources of them
    private final @Nullable Map<String, String> words; // of the log context
    private final @Nullable LocaleContext locale;

    private ThreadState(Thread thread) {
        this.thread = thread;
        this.name = thread.getName();
        this.priority = thread.getPriority();
        this.loader = thread.getContextClassLoader();
        this.transactions = anyTransaction();
        this.words = MDC.getCopyOfContextMap();
        this.locale = LocaleContextHolder.getLocaleContext();
    }

    /** Of the calling thread. */
    public static ThreadState save() {
        return new ThreadState(Thread.currentThread());
    }

    private static boolean anyTransaction() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                || TransactionSynchronizationManager.isSynchronizationActive()
                || !TransactionSynchronizationManager.getResourceMap().isEmpty();
    }

    /** On the same thread. Never throws. {@code whose} code ran is for the log. */
    public void restore(Object whose) {
        Thread.interrupted();
        try {
            if (!transactions) {
                endTransactions(whose);
            }
        } catch (RuntimeException | Error e) {
            log.warn("ending the transactions on the thread of {} failed", whose, e);
        }
        try {
            restoreThread();
            restoreContexts();
        } catch (RuntimeException | Error e) {
            log.warn("cleaning up the thread of {} failed", whose, e);
        }
        Thread.interrupted(); // what was to be removed is code of the application as well
    }

    @SuppressWarnings("StringEquality") // nobody set it if it is the same
    private void restoreThread() {
        if (thread.getName() != name) {
            thread.setName(name);
        }
        if (thread.getPriority() != priority) {
            thread.setPriority(priority);
        }
        if (thread.getContextClassLoader() != loader) {
            thread.setContextClassLoader(loader);
        }
    }

    private void restoreContexts() {
        if (words == null || words.isEmpty()) {
            MDC.clear();
        } else {
            MDC.setContextMap(words);
        }
        if (LocaleContextHolder.getLocaleContext() != locale) {
            LocaleContextHolder.setLocaleContext(locale);
        }
    }

    private static void endTransactions(Object whose) {
        if (!anyTransaction()) {
            return;
        }
        boolean active = TransactionSynchronizationManager.isActualTransactionActive();
        log.warn(
                "{} left {} on its thread; it is rolled back and removed",
                whose,
                active ? "an open transaction" : "resources of Spring's transactions");
        List<TransactionSynchronization> synchronizations = TransactionSynchronizationManager.isSynchronizationActive()
                ? TransactionSynchronizationManager.getSynchronizations()
                : List.of();
        Map<Object, Object> resources = new HashMap<>(TransactionSynchronizationManager.getResourceMap());
        resources.keySet().forEach(TransactionSynchronizationManager::unbindResourceIfPossible);
        TransactionSynchronizationManager.clear();
        resources.values().forEach(ThreadState::rollBack);
        TransactionSynchronizationUtils.invokeAfterCompletion(
                synchronizations, TransactionSynchronization.STATUS_ROLLED_BACK);
    }

    private static void rollBack(Object resource) {
        if (resource instanceof ConnectionHolder holder) {
            Connection connection = null;
            try {
                connection = holder.getConnection(); // may throw, of a closed session of JPA for instance
                if (!connection.isClosed() && !connection.getAutoCommit()) {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            } catch (SQLException | RuntimeException e) {
                log.debug("rolling back a connection that was left bound to a thread failed", e);
            } finally {
                JdbcUtils.closeConnection(connection);
            }
        }
    }
}
