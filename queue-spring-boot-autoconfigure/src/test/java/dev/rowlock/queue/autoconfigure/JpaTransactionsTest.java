package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Jobs and JPA transactions in an application whose pool has no connection to spare. */
@PostgresTest
@ParameterizedClass(name = "autoCommit={0}")
@ValueSource(booleans = {true, false})
class JpaTransactionsTest {

    record Ordered(TransactionPhase phase, Runnable reaction) {}

    @Parameter
    boolean autoCommit;

    private final TestDatabase database;
    private final JdbcClient jdbc;

    JpaTransactionsTest(TestDatabase database) {
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @BeforeEach
    void forget() {
        Listeners.FAILURES.clear();
    }

    @ParameterizedTest
    @EnumSource
    void aJobThatATransactionalEventListenerEnqueuesExists(TransactionPhase phase) {
        run(1, context -> {
            JobOperations jobs = context.getBean(JobOperations.class);

            transaction(context, phase == TransactionPhase.AFTER_ROLLBACK, () -> {
                context.getBean(Shop.class).save(1);
                context.publishEvent(new Ordered(phase, () -> {
                    jobs.enqueue(new Greeter.Greeting("one"));
                    jobs.enqueueAll(List.of(new Greeter.Greeting("two"), new Greeter.Greeting("three")));
                    context.getBean(JobAdmin.class).pause("mail");
                }));
            });

            assertThat(Listeners.FAILURES).isEmpty();
            assertThat(jobs()).isEqualTo(3);
            assertThat(context.getBean(JobAdmin.class).pauses()).hasSize(1);
        });
    }

    @Test
    void aServiceOfAnEventListenerThatAsksForANewTransactionGetsOne() {
        run(2, context -> {
            Shop shop = context.getBean(Shop.class);

            transaction(
                    context,
                    false,
                    () -> context.publishEvent(new Ordered(TransactionPhase.AFTER_COMMIT, () -> shop.saveAnew(1))));
            transaction(
                    context,
                    false,
                    () -> context.publishEvent(new Ordered(
                            TransactionPhase.AFTER_COMMIT,
                            () -> assertThatThrownBy(() -> shop.failAnew(2)).hasMessage("no"))));

            assertThat(Listeners.FAILURES).isEmpty();
            assertThat(jobs()).isEqualTo(1);
            assertThat(gadgets()).isEqualTo(1);
        });
    }

    @Test
    void aJobOfAServiceThatJoinsTheEndedTransactionExists() {
        run(1, context -> {
            Shop shop = context.getBean(Shop.class);

            transaction(
                    context,
                    false,
                    () -> context.publishEvent(new Ordered(TransactionPhase.AFTER_COMMIT, () -> shop.enqueue("one"))));

            assertThat(Listeners.FAILURES).isEmpty();
            assertThat(jobs()).isEqualTo(1);
        });
    }

    @Test
    void aTransactionOfAnotherDataSourceIsRefusedWhateverWasReadBefore() {
        run(2, context -> {
            JobOperations jobs = context.getBean(JobOperations.class);
            TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(database.unpooled()));

            elsewhere.executeWithoutResult(status -> {
                context.getBean(JdbcTemplate.class).queryForObject("SELECT 1", int.class);
                context.getBean(Shop.class).count();
                assertThatThrownBy(() -> jobs.enqueue(new Greeter.Greeting("refused")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("DataSource");
            });

            assertThat(jobs()).isZero();
        });
    }

    @Test
    void aManagerThatDoesNotLendItsConnectionIsRefused() {
        run(2, context -> {
            JobOperations jobs = context.getBean(JobOperations.class);
            JpaTransactionManager blind = new JpaTransactionManager(context.getBean(EntityManagerFactory.class));
            blind.afterPropertiesSet();
            blind.setDataSource(database.unpooled());

            new TransactionTemplate(blind).executeWithoutResult(status -> {
                context.getBean(JdbcTemplate.class).queryForObject("SELECT 1", int.class);
                assertThatThrownBy(() -> jobs.enqueue(new Greeter.Greeting("refused")))
                        .isInstanceOf(IllegalStateException.class);
            });

            assertThat(jobs()).isZero();
        });
    }

    @Test
    void readsBeforeAndAfterTheFirstJobChangeNothing() {
        run(1, context -> {
            Shop shop = context.getBean(Shop.class);

            transaction(context, true, () -> {
                context.getBean(JdbcTemplate.class).queryForObject("SELECT 1", int.class);
                shop.enqueue("one");
                shop.count();
                shop.enqueue("two");
            });
            assertThat(jobs()).isZero();

            transaction(context, false, () -> shop.enqueue("three"));
            assertThat(jobs()).isEqualTo(1);
        });
    }

    private void run(int connections, Consumer<AssertableApplicationContext> test) {
        Contexts.on(database)
                .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "spring.jpa.hibernate.ddl-auto=create",
                        "spring.jpa.properties.hibernate.connection.provider_disables_autocommit=" + !autoCommit,
                        "spring.datasource.hikari.maximum-pool-size=" + connections,
                        "spring.datasource.hikari.connection-timeout=3000",
                        "spring.datasource.hikari.auto-commit=" + autoCommit,
                        "rowlock.notify.enabled=false",
                        "rowlock.worker.enabled=false")
                .run(context -> {
                    jdbc.sql("TRUNCATE rowlock.ready, rowlock.pause, gadget").update();
                    test.accept(context);
                });
    }

    private static void transaction(AssertableApplicationContext context, boolean rollBack, Runnable code) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            code.run();
            if (rollBack) {
                status.setRollbackOnly();
            }
        });
    }

    private long jobs() {
        return jdbc.sql("SELECT count(*) FROM rowlock.ready").query(Long.class).single();
    }

    private long gadgets() {
        return jdbc.sql("SELECT count(*) FROM gadget").query(Long.class).single();
    }

    @AutoConfigurationPackage
    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Listeners listeners() {
            return new Listeners();
        }

        @Bean
        Shop shop(EntityManager entities, JobOperations jobs) {
            return new Shop(entities, jobs);
        }
    }

    @Entity(name = "gadget")
    static class Gadget {
        @Id
        private Long id;

        protected Gadget() {}

        Gadget(Long id) {
            this.id = id;
        }
    }

    static class Shop {

        private final EntityManager entities;
        private final JobOperations jobs;

        Shop(EntityManager entities, JobOperations jobs) {
            this.entities = entities;
            this.jobs = jobs;
        }

        @Transactional
        public void save(long id) {
            entities.persist(new Gadget(id));
        }

        @Transactional
        public void enqueue(String name) {
            jobs.enqueue(new Greeter.Greeting(name));
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void saveAnew(long id) {
            entities.persist(new Gadget(id));
            jobs.enqueue(new Greeter.Greeting("new"));
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void failAnew(long id) {
            saveAnew(id);
            throw new IllegalStateException("no");
        }

        public long count() {
            return entities.createQuery("SELECT count(w) FROM gadget w", Long.class)
                    .getSingleResult();
        }
    }

    static class Listeners {

        static final List<Throwable> FAILURES = new CopyOnWriteArrayList<>();

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void beforeCommit(Ordered event) {
            react(event, TransactionPhase.BEFORE_COMMIT);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
        public void afterCommit(Ordered event) {
            react(event, TransactionPhase.AFTER_COMMIT);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void afterRollback(Ordered event) {
            react(event, TransactionPhase.AFTER_ROLLBACK);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        public void afterCompletion(Ordered event) {
            react(event, TransactionPhase.AFTER_COMPLETION);
        }

        private static void react(Ordered event, TransactionPhase phase) {
            if (event.phase() != phase) {
                return;
            }
            try {
                event.reaction().run();
            } catch (Throwable thrown) {
                FAILURES.add(thrown); // Spring would only log it
            }
        }
    }
}
