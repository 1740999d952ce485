package dev.rowlock.queue.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** Chooses the transaction manager of transactional listeners. */
@SuppressWarnings("ReferenceEquality") // the same DataSource, not an equal one
final class ListenerTransactions {

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

    /** Apart, because JPA is optional. */
    private static final class Jpa {

        /** It binds that DataSource's connection to its transactions, whatever else it manages. */
        static @Nullable DataSource managed(PlatformTransactionManager manager) {
            return manager instanceof JpaTransactionManager jpa ? jpa.getDataSource() : null;
        }
    }
}
