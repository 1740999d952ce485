package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Transactions;
import dev.rowlock.queue.spi.UnsuitableTransactionsException;
import dev.rowlock.queue.spi.UnsuitableTransactionsException.Reason;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The transactions of transactional listeners. Thread-safe. */
public final class ListenerTransactions {

    private static final Logger log = LoggerFactory.getLogger(ListenerTransactions.class);

    /** What is done in a transaction; it may throw whatever it likes. */
    @FunctionalInterface
    public interface Work {
        void run() throws Throwable;
    }

    private final @Nullable Transactions usual;

    /** @param usual of listeners that have none of their own; null if there are none */
    public ListenerTransactions(@Nullable TransactionOperations usual) {
        this.usual = usual == null ? null : new ByDefault(usual);
    }

    /** Does the work in one transaction. Checked exceptions roll back too: an attempt that failed leaves nothing behind. */
    public void run(ListenerDefinition listener, Work work) throws Throwable {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try {
            of(listener).run(() -> {
                try {
                    work.run();
                } catch (RuntimeException | Error e) {
                    failure.set(e);
                    throw e;
                } catch (Throwable checked) {
                    failure.set(checked);
                    throw new CheckedFailure(checked);
                }
            });
        } catch (Throwable e) {
            Throwable first = failure.get();
            throw first == null ? e : told(first, e);
        }
    }

    /** Where the rollback fails as well, its exception comes in place of the one that says why: of a connection that is gone, only that it is. */
    private static Throwable told(Throwable failure, Throwable thrown) {
        if (thrown != failure && !(thrown instanceof CheckedFailure)) {
            failure.addSuppressed(thrown);
        }
        return failure;
    }

    /**
     * Tests the transactions of transactional listeners at the start rather than with the first job: fails if a listener's job
     * could not be completed in its transactions.
     *
     * @param byDefault of listeners that have none of their own
     */
    public static void require(
            List<ListenerDefinition> listeners, @Nullable TransactionOperations byDefault, Database database) {
        listeners.stream()
                .filter(ListenerDefinition::transactional)
                .map(new ListenerTransactions(byDefault)::of)
                .distinct()
                .forEach(transactions -> requireJoined(transactions, database));
    }

    private Transactions of(ListenerDefinition listener) {
        if (listener.transactions() != null) {
            return listener.transactions();
        }
        if (usual == null) {
            throw new InvalidJobListenerException(
                    "the transactional listener %s cannot work: there is no transaction manager for it, or several and none is primary"
                            .formatted(listener.name()),
                    "Define a PlatformTransactionManager for the DataSource that Rowlock uses, mark one of several, or"
                            + " remove transactional = true");
        }
        return usual;
    }

    private static void requireJoined(Transactions transactions, Database database) {
        AtomicBoolean synchronizes = new AtomicBoolean();
        try {
            transactions.run(() -> {
                database.requireWritable("a transactional listener");
                // Whoever enqueues in it must hear of its commit. Without that, Spring does not even show that there is
                // one.
                synchronizes.set(TransactionSynchronizationManager.isSynchronizationActive());
                // Returns, though there is nothing to commit: it may be a transaction of the caller's that goes on.
            });
            log.debug("transactions of listeners are those of Rowlock's DataSource");
        } catch (IllegalStateException e) {
            throw new UnsuitableTransactionsException(transactions.toString(), Reason.OTHER_DATA_SOURCE, e);
        } catch (TransactionException e) {
            log.warn("testing the transactions of listeners failed; the first transactional job will test them", e);
            return;
        }
        if (!synchronizes.get()) {
            throw new UnsuitableTransactionsException(
                    transactions.toString(),
                    Reason.NOT_SYNCHRONIZED,
                    new IllegalStateException("the transaction has no synchronization"));
        }
    }

    /** Carries a checked exception through the transaction template, which rolls back for it. */
    private static final class CheckedFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        CheckedFailure(Throwable thrown) {
            super(null, thrown, false, false);
        }
    }

    private record ByDefault(TransactionOperations operations) implements Transactions {

        @Override
        public void run(Runnable work) {
            operations.executeWithoutResult(status -> work.run());
        }

        @Override
        public String toString() {
            return operations instanceof TransactionTemplate template && template.getTransactionManager() != null
                    ? template.getTransactionManager().getClass().getName()
                    : "this application";
        }
    }
}
