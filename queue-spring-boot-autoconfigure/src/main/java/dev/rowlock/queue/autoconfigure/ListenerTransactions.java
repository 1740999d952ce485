package dev.rowlock.queue.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/** Chooses the transaction manager of transactional listeners. */
@SuppressWarnings("ReferenceEquality") // the same DataSource, not an equal one
final class ListenerTransactions {

    private ListenerTransactions() {}

    /**
     * The marked one; or the only or primary one, unless it manages another DataSource; or the only one that manages
     * this DataSource; null if none of them exists.
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
        if (unique != null && !managesAnother(unique, dataSource)) {
            return unique;
        }
        List<PlatformTransactionManager> fitting =
                all.stream().filter(manager -> managed(manager) == dataSource).toList();
        return fitting.size() == 1 ? fitting.get(0) : null;
    }

    private static boolean managesAnother(PlatformTransactionManager manager, DataSource dataSource) {
        DataSource managed = managed(manager);
        return managed != null && managed != dataSource;
    }

    /** Null where that cannot be told: an EntityManagerFactory does not show its DataSource. */
    private static @Nullable DataSource managed(PlatformTransactionManager manager) {
        return manager instanceof ResourceTransactionManager resource
                        && resource.getResourceFactory() instanceof DataSource dataSource
                ? dataSource
                : null;
    }
}
