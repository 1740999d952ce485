package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.sql.DataSource;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** One of the many applications that Rowlock may find itself in. */
record Surroundings(Driver driver, Pool pool, Managers managers, Shape shape) {

    /** Properties of the driver, as they stand in the URL. */
    enum Driver {
        PLAIN(""),
        STRINGS_UNSPECIFIED("stringtype=unspecified"),
        SIMPLE_QUERIES("preferQueryMode=simple"),
        EXTENDED_FOR_PREPARED("preferQueryMode=extendedForPrepared"),
        CACHE_EVERYTHING("preferQueryMode=extendedCacheEverything"),
        NEVER_PREPARED("prepareThreshold=0"),
        PREPARED_AT_ONCE("prepareThreshold=-1"),
        NO_STATEMENT_CACHE("preparedStatementCacheQueries=0"),
        AUTOSAVE("autosave=always"),
        BATCHES_REWRITTEN("reWriteBatchedInserts=true"),
        TEXT_TRANSFER("binaryTransfer=false"),
        SMALL_FETCHES("defaultRowFetchSize=7"),
        OTHER_SCHEMA("currentSchema=pg_catalog"),
        SERIALIZABLE("options=-c%20default_transaction_isolation=serializable"),
        REPEATABLE_READ("options=-c%20default_transaction_isolation=repeatable%5C%20read"),
        OTHER_TIME_ZONE("options=-c%20TimeZone=Asia/Kathmandu");

        private final String property;

        Driver(String property) {
            this.property = property;
        }

        String in(String url) {
            return property.isEmpty() ? url : url + (url.contains("?") ? "&" : "?") + property;
        }
    }

    /** Who manages transactions. */
    enum Managers {
        JDBC {
            @Override
            ApplicationContextRunner in(ApplicationContextRunner contexts, TestDatabase database) {
                return contexts;
            }
        },
        JPA {
            @Override
            ApplicationContextRunner in(ApplicationContextRunner contexts, TestDatabase database) {
                return contexts.withUserConfiguration(Entities.class)
                        .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class));
            }
        },
        ANOTHERS_FIRST {
            @Override
            ApplicationContextRunner in(ApplicationContextRunner contexts, TestDatabase database) {
                DataSource another = database.unpooled();
                return contexts.withBean(
                                "another", DataSource.class, () -> another, definition -> definition.setPrimary(true))
                        .withBean(
                                "transactionManager",
                                PlatformTransactionManager.class,
                                () -> new DataSourceTransactionManager(another),
                                definition -> definition.setPrimary(true))
                        .withUserConfiguration(JobsTransactions.class);
            }
        };

        abstract ApplicationContextRunner in(ApplicationContextRunner contexts, TestDatabase database);

        /** The name of the bean that manages Rowlock's DataSource. */
        String ours() {
            return this == ANOTHERS_FIRST ? "jobsTransactions" : "transactionManager";
        }
    }

    /** What else may be set. */
    enum Shape {
        ORDINARY,
        LAZY,
        WITHOUT_NOTIFICATIONS,
        VIRTUAL_THREADS;

        boolean possible() {
            return this != VIRTUAL_THREADS || Runtime.version().feature() >= 21;
        }

        ApplicationContextRunner in(ApplicationContextRunner contexts) {
            return switch (this) {
                case ORDINARY -> contexts;
                case LAZY ->
                    contexts.withInitializer(context ->
                            context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));
                case WITHOUT_NOTIFICATIONS ->
                    contexts.withPropertyValues("rowlock.notify.enabled=false", "rowlock.worker.poll-interval=100ms");
                case VIRTUAL_THREADS -> contexts.withPropertyValues("spring.threads.virtual.enabled=true");
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Entities {}

    @Configuration(proxyBeanMethods = false)
    static class JobsTransactions {

        @Bean
        PlatformTransactionManager jobsTransactions(@RowlockDataSource DataSource jobs) {
            return new DataSourceTransactionManager(jobs);
        }
    }

    ApplicationContextRunner contexts(TestDatabase database) {
        ApplicationContextRunner contexts = Contexts.on(database)
                .withBean(
                        "jobs",
                        DataSource.class,
                        () -> pool.of(database, driver::in),
                        definition -> ((AbstractBeanDefinition) definition)
                                .addQualifier(new AutowireCandidateQualifier(RowlockDataSource.class)));
        return shape.in(managers.in(contexts, database));
    }

    static List<Surroundings> all() {
        List<Surroundings> all = new ArrayList<>();
        for (Driver driver : Driver.values()) {
            for (Pool pool : Pool.values()) {
                for (Managers managers : Managers.values()) {
                    for (Shape shape : Shape.values()) {
                        if (shape.possible()) {
                            all.add(new Surroundings(driver, pool, managers, shape));
                        }
                    }
                }
            }
        }
        return all;
    }

    static Surroundings random(Random random) {
        List<Surroundings> all = all();
        return all.get(random.nextInt(all.size()));
    }
}
