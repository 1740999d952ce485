package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.autoconfigure.UnsuitableTransactionsException.Reason;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.spi.Transactions;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** Chooses the transaction manager of transactional listeners, and tries it. */
@SuppressWarnings("ReferenceEquality") // the same DataSource, not an equal one
final class ListenerTransactions {

    private static final Logger log = LoggerFactory.getLogger(ListenerTransactions.class);

    private static final boolean JPA = ClassUtils.isPresent(
            "org.springframework.orm.jpa.JpaTransactionManager", ListenerTransactions.class.getClassLoader());

    private ListenerTransactions() {}

    /**
     * The marked one; or the only or primary one of those that manage this DataSource; or, if there is none of them, the
     * only or primary one of all, unless it manages another DataSource; null if none of them exists.
     */
    static @Nullable PlatformTransactionManager chosen(
            DataSource dataSource,
            ObjectProvider<PlatformTransactionManager> all,
            ObjectProvider<PlatformTransactionManager> marked) {
        return marked.getIfAvailable(() -> fitting(dataSource, all));
    }

    /** As {@link #chosen}. */
    static @Nullable TransactionOperations of(
            DataSource dataSource,
            ObjectProvider<PlatformTransactionManager> all,
            ObjectProvider<PlatformTransactionManager> marked) {
        PlatformTransactionManager chosen = chosen(dataSource, all, marked);
        return chosen == null ? null : new TransactionTemplate(chosen);
    }

    private static @Nullable PlatformTransactionManager fitting(
            DataSource dataSource, ObjectProvider<PlatformTransactionManager> all) {
        PlatformTransactionManager unique = all.getIfUnique();
        List<PlatformTransactionManager> exact =
                all.stream().filter(manager -> managed(manager) == dataSource).toList();
        if (exact.size() == 1) {
            return exact.get(0);
        }
        boolean choosable = unique != null && (exact.contains(unique) || managed(unique) == null);
        return choosable ? unique : null;
    }

    /** Null where that cannot be told. */
    private static @Nullable DataSource managed(PlatformTransactionManager manager) {
        DataSource ofJpa = JPA ? Jpa.managed(manager) : null;
        if (ofJpa != null) {
            return ofJpa;
        }
        return manager instanceof ResourceTransactionManager resource
                        && resource.getResourceFactory() instanceof DataSource dataSource
                ? dataSource
                : null;
    }

    /** Begins a transaction and looks whether jobs would be completed in it: better now than with the first job. */
    static void requireJoined(Transactions transactions, Database database) {
        try {
            transactions.run(() -> {
                database.requireWritable("a transactional listener");
                requireSynchronized();
                throw new RollBack();
            });
        } catch (RollBack e) {
            log.debug("transactions of listeners are those of Rowlock's DataSource");
        } catch (NotSynchronized e) {
            throw new UnsuitableTransactionsException(transactions.toString(), Reason.NOT_SYNCHRONIZED, e);
        } catch (IllegalStateException e) {
            throw new UnsuitableTransactionsException(transactions.toString(), Reason.OTHER_DATA_SOURCE, e);
        } catch (TransactionException e) {
            log.warn("transactions of listeners could not be tried; the first transactional job will", e);
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

    /** Nothing was written, and nothing is to be committed. */
    private static final class RollBack extends RuntimeException {

        private static final long serialVersionUID = 1L;

        RollBack() {
            super(null, null, false, false);
        }
    }

    /** Those of listeners that name no manager. */
    record OfNode(TransactionOperations operations) implements Transactions {

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

    /** Apart, because JPA is optional. */
    private static final class Jpa {

        /** It binds that DataSource's connection to its transactions, whatever else it manages. */
        static @Nullable DataSource managed(PlatformTransactionManager manager) {
            return manager instanceof JpaTransactionManager jpa ? jpa.getDataSource() : null;
        }
    }
}
