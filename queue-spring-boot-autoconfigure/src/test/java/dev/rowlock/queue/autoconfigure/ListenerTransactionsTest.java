package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

class ListenerTransactionsTest {

    private final DataSource ours = new DriverManagerDataSource();
    private final DataSource other = new DriverManagerDataSource();
    private final PlatformTransactionManager forOurs = new DataSourceTransactionManager(ours);
    private final PlatformTransactionManager forOther = new DataSourceTransactionManager(other);
    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    @Test
    void noManagerIsChosenIfThereIsNone() {
        assertThat(chosen()).isNull();
    }

    @Test
    void theOnlyManagerIsChosen() {
        add("manager", forOurs, false);

        assertThat(chosen()).isSameAs(forOurs);
    }

    @Test
    void theOnlyManagerIsNotChosenIfItManagesAnotherDataSource() {
        add("manager", forOther, true);

        assertThat(chosen()).isNull();
    }

    @Test
    void theManagerOfOurDataSourceIsChosenBeforeThePrimaryOneOfAnother() {
        add("main", forOther, true);
        add("jobs", forOurs, false);

        assertThat(chosen()).isSameAs(forOurs);
    }

    @Test
    void theManagerOfOurDataSourceIsChosenBeforeAPrimaryOneThatDoesNotTell() {
        add("main", new StartAdviceTest.SomethingElses(), true);
        add("jobs", forOurs, false);

        assertThat(chosen()).isSameAs(forOurs);
    }

    @Test
    void aManagerOfJpaIsChosenByTheDataSourceThatItExposes() {
        JpaTransactionManager jpa = new JpaTransactionManager();
        jpa.setDataSource(ours);
        beans.registerSingleton("jpa", jpa);
        add("main", forOther, true);

        assertThat(chosen()).isSameAs(jpa);
    }

    @Test
    void thePrimaryOneOfTwoManagersOfOurDataSourceIsChosen() {
        PlatformTransactionManager primary = new DataSourceTransactionManager(ours);
        add("one", forOurs, false);
        add("two", primary, true);

        assertThat(chosen()).isSameAs(primary);
    }

    @Test
    void anOnlyManagerThatDoesNotTellItsDataSourceIsChosen() {
        PlatformTransactionManager silent = new StartAdviceTest.SomethingElses();
        add("silent", silent, false);

        assertThat(chosen()).isSameAs(silent);
    }

    @Test
    void noneOfTwoManagersOfOurDataSourceIsChosen() {
        add("one", forOurs, false);
        add("two", new DataSourceTransactionManager(ours), false);

        assertThat(chosen()).isNull();
    }

    @Test
    void theMarkedManagerIsChosen() {
        try (var context = new AnnotationConfigApplicationContext(Marked.class)) {
            assertThat(context.getBean(Choice.class).manager()).isSameAs(context.getBean("marked"));
        }
    }

    private void add(String name, PlatformTransactionManager manager, boolean primary) {
        RootBeanDefinition definition = new RootBeanDefinition(PlatformTransactionManager.class, () -> manager);
        definition.setPrimary(primary);
        beans.registerBeanDefinition(name, definition);
    }

    private @Nullable PlatformTransactionManager chosen() {
        TransactionOperations chosen = ListenerTransactions.of(
                ours,
                beans.getBeanProvider(PlatformTransactionManager.class),
                new DefaultListableBeanFactory().getBeanProvider(PlatformTransactionManager.class));
        return chosen == null ? null : ((TransactionTemplate) chosen).getTransactionManager();
    }

    record Choice(@Nullable PlatformTransactionManager manager) {}

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean
        PlatformTransactionManager plain() {
            return new DataSourceTransactionManager(new DriverManagerDataSource());
        }

        @Bean
        @RowlockTransactionManager
        PlatformTransactionManager marked() {
            return new DataSourceTransactionManager(new DriverManagerDataSource());
        }

        @Bean
        Choice choice(
                ObjectProvider<PlatformTransactionManager> all,
                @RowlockTransactionManager ObjectProvider<PlatformTransactionManager> marked) {
            TransactionTemplate template =
                    (TransactionTemplate) ListenerTransactions.of(new DriverManagerDataSource(), all, marked);
            return new Choice(template == null ? null : template.getTransactionManager());
        }
    }
}
