package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Transactions;
import dev.rowlock.queue.spi.UnsuitableTransactionsException;
import dev.rowlock.queue.spi.UnsuitableTransactionsException.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests the transactions of transactional listeners at the start rather than with the first job. */
public final class TransactionalListeners {

    private static final Logger log = LoggerFactory.getLogger(TransactionalListeners.class);

    private TransactionalListeners() {}

    /**
     * Fails if a listener's job could not be completed in its transactions.
     *
     * @param byDefault of listeners that have none of their own
     */
    public static void require(
            List<ListenerDefinition> listeners, @Nullable TransactionOperations byDefault, Database database) {
        listeners.stream()
                .filter(ListenerDefinition::transactional)
                .map(listener -> transactions(listener, byDefault))
                .distinct()
                .forEach(transactions -> requireJoined(transactions, database));
    }

    private static Transactions transactions(ListenerDefinition listener, @Nullable TransactionOperations byDefault) {
        if (listener.transactions() != null) {
            return listener.transactions();
        }
        if (byDefault == null) {
            throw new InvalidJobListenerException(
                    "the transactional listener %s cannot work: there is no transaction manager for it, or several and none is primary"
                            .formatted(listener.name()),
                    "Define a PlatformTransactionManager for the DataSource that Rowlock uses, mark one of several, or"
                            + " remove transactional = true");
        }
        return new ByDefault(byDefault);
    }

    private static void requireJoined(Transactions transactions, Database database) {
        try {
            transactions.run(() -> {
                database.requireWritable("a transactional listener");
                requireSynchronized();
                // Returns, though there is nothing to commit: it may be a transaction of the caller's that goes on.
            });
            log.debug("transactions of listeners are those of Rowlock's DataSource");
        } catch (NotSynchronized e) {
            throw new UnsuitableTransactionsException(transactions.toString(), Reason.NOT_SYNCHRONIZED, e);
        } catch (IllegalStateException e) {
            throw new UnsuitableTransactionsException(transactions.toString(), Reason.OTHER_DATA_SOURCE, e);
        } catch (TransactionException e) {
            log.warn("testing the transactions of listeners failed; the first transactional job will test them", e);
        }
    }

    /** Whoever enqueues in the transaction must hear of its commit. Without that, Spring does not even show that there is one. */
    private static void requireSynchronized() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new NotSynchronized();
        }
    }

    private static final class NotSynchronized extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        NotSynchronized() {
            super("the transaction has no synchronization");
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
