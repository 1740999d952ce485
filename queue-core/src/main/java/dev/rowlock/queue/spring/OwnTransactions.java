package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.spi.Transactions;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionTemplate;

/** The transactions of listeners that name their manager or their isolation level. */
final class OwnTransactions {

    private final BeanFactory beans;
    private final Supplier<@Nullable PlatformTransactionManager> byDefault;

    /** @param byDefault the manager where the listener names none */
    OwnTransactions(BeanFactory beans, Supplier<@Nullable PlatformTransactionManager> byDefault) {
        this.beans = beans;
        this.byDefault = byDefault;
    }

    /**
     * Null if the listener says nothing: then its transactions are the node's.
     *
     * @param managerName the bean that the annotation names, placeholders resolved
     * @throws IllegalArgumentException if it asks for what cannot be
     */
    @Nullable
    Transactions of(JobListener annotation, @Nullable String managerName) {
        boolean silent = managerName == null && annotation.isolation() == Isolation.DEFAULT;
        if (!annotation.transactional()) {
            if (!silent) {
                throw new IllegalArgumentException(
                        "transactionManager and isolation mean something only with transactional = true");
            }
            return null;
        }
        return silent ? null : new ByTemplate(template(manager(managerName), annotation.isolation()));
    }

    private PlatformTransactionManager manager(@Nullable String name) {
        if (name != null) {
            try {
                return beans.getBean(name, PlatformTransactionManager.class);
            } catch (NoSuchBeanDefinitionException e) {
                throw new IllegalArgumentException("there is no transaction manager '%s'".formatted(name), e);
            }
        }
        PlatformTransactionManager chosen = byDefault.get();
        if (chosen == null) {
            throw new IllegalArgumentException(
                    "there is no transaction manager for Rowlock's DataSource, or several: name one with transactionManager");
        }
        return chosen;
    }

    private static TransactionTemplate template(PlatformTransactionManager manager, Isolation isolation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setIsolationLevel(isolation.value());
        return template;
    }

    private record ByTemplate(TransactionTemplate template) implements Transactions {

        @Override
        public void run(Runnable work) {
            template.executeWithoutResult(status -> work.run());
        }

        @Override
        public String toString() {
            return Objects.requireNonNull(template.getTransactionManager())
                    .getClass()
                    .getName();
        }
    }
}
