package dev.rowlock.queue.test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The transaction that the test is in, if it is in one, as jobs see it that take part in it. */
final class TestTransaction {

    private static final boolean JPA = ClassUtils.isPresent(
            "org.springframework.orm.jpa.EntityManagerHolder", TestTransaction.class.getClassLoader());

    private final DataSource dataSource;
    private final ObjectProvider<PlatformTransactionManager> managers;

    TestTransaction(DataSource dataSource, ObjectProvider<PlatformTransactionManager> managers) {
        this.dataSource = dataSource;
        this.managers = managers;
    }

    boolean active() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(dataSource);
    }

    /** A transactional method that fails takes part in the test's transaction; a savepoint undoes what it did, and the test goes on. */
    <T> T surviving(Supplier<T> work) {
        List<AbstractPlatformTransactionManager> changed = new ArrayList<>();
        try {
            if (active()) {
                managers.stream()
                        .filter(AbstractPlatformTransactionManager.class::isInstance)
                        .map(AbstractPlatformTransactionManager.class::cast)
                        .filter(AbstractPlatformTransactionManager::isGlobalRollbackOnParticipationFailure)
                        .forEach(manager -> {
                            changed.add(manager);
                            manager.setGlobalRollbackOnParticipationFailure(false);
                        });
            }
            return work.get();
        } finally {
            changed.forEach(manager -> manager.setGlobalRollbackOnParticipationFailure(true));
        }
    }

    /** Writes what persistence contexts have not written yet. */
    void flush() {
        if (JPA && active()) {
            PersistenceContexts.each(holder -> holder.getEntityManager().flush());
        }
    }

    /** Persistence contexts forget what they know: it may have been undone. */
    void clear() {
        if (JPA && active()) {
            PersistenceContexts.each(holder -> holder.getEntityManager().clear());
        }
    }

    /** Loaded only where there is JPA. */
    private static final class PersistenceContexts {

        static void each(Consumer<EntityManagerHolder> action) {
            TransactionSynchronizationManager.getResourceMap().values().stream()
                    .filter(EntityManagerHolder.class::isInstance)
                    .map(EntityManagerHolder.class::cast)
                    .filter(holder -> holder.getEntityManager().isJoinedToTransaction())
                    .forEach(action);
        }
    }
}
