package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.internal.store.Database;
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
    static @Nullable TransactionOperations of(
            DataSource dataSource,
            ObjectProvider<PlatformTransactionManager> all,
            ObjectProvider<PlatformTransactionManager> marked) {
        PlatformTransactionManager chosen = marked.getIfAvailable(() -> fitting(dataSource, all));
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
    static void requireJoined(TransactionOperations transactions, Database database) {
        try {
            transactions.executeWithoutResult(status -> {
                status.setRollbackOnly();
                database.requireWritable("a transactional listener");
            });
        } catch (IllegalStateException e) {
            throw new UnsuitableTransactionsException(
                    transactions instanceof TransactionTemplate template ? template.getTransactionManager() : null, e);
        } catch (TransactionException e) {
            log.warn("transactions of listeners could not be tried; the first transactional job will", e);
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
