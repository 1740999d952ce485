package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.spring.EnableRowlock;
import dev.rowlock.queue.spring.JobListenerContainer;
import dev.rowlock.queue.spring.JobListenerRegistry;
import dev.rowlock.queue.spring.JobListenerScanner;
import dev.rowlock.queue.spring.RowlockBuilderCustomizer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

@Representative
@PostgresTest
class RowlockAutoConfigurationTest {

    private final ApplicationContextRunner contexts;

    RowlockAutoConfigurationTest(TestDatabase database) {
        this.contexts = Contexts.on(database);
    }

    @Test
    void byDefaultJobsAreEnqueuedFoundAndRun() {
        contexts.withBean(Greeter.class).run(context -> {
            assertThat(context)
                    .hasSingleBean(JobTemplate.class)
                    .hasSingleBean(JobOperations.class)
                    .hasSingleBean(JobAdmin.class)
                    .hasSingleBean(JobSearch.class)
                    .hasSingleBean(PayloadCodec.class)
                    .hasSingleBean(JobListenerContainer.class);

            long id = context.getBean(JobOperations.class).enqueue(new Greeter.Greeting("hello"));

            assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
            assertThat(context.getBean(JobSearch.class).find(id)).hasValueSatisfying(job -> {
                assertThat(job.type()).isEqualTo("Greeting");
                assertThat(job.queue()).isEqualTo("greetings");
            });
        });
    }

    @Test
    void aJobOfATransactionThatRollsBackDoesNotExist() {
        contexts.run(context -> {
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

            Long id = transaction.execute(status -> {
                status.setRollbackOnly();
                return context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("never"));
            });

            assertThat(context.getBean(JobSearch.class).find(id)).isEmpty();
        });
    }

    @Test
    void disabledMeansThatNothingIsThere() {
        contexts.withPropertyValues("rowlock.enabled=false")
                .withBean(Greeter.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(JobOperations.class)
                        .doesNotHaveBean(JobAdmin.class)
                        .doesNotHaveBean(JobSearch.class)
                        .doesNotHaveBean(PayloadCodec.class)
                        .doesNotHaveBean(Rowlock.class)
                        .doesNotHaveBean(RowlockSchemaInitializer.class)
                        .doesNotHaveBean(JobListenerScanner.class)
                        .doesNotHaveBean(JobListenerContainer.class)
                        .doesNotHaveBean("rowlockHealthIndicator"));
    }

    @Test
    void anApplicationMayEnqueueWithoutRunningJobs() {
        contexts.withPropertyValues("rowlock.worker.enabled=false")
                .withBean(Greeter.class)
                .run(context -> {
                    assertThat(context)
                            .doesNotHaveBean(JobListenerContainer.class)
                            .hasBean("rowlockHealthIndicator");

                    long id = context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("later"));

                    // The queue is the listener's, although the listener does not run here.
                    assertThat(context.getBean(JobSearch.class).find(id)).hasValueSatisfying(job -> {
                        assertThat(job.queue()).isEqualTo("greetings");
                        assertThat(job.state()).isEqualTo(JobState.READY);
                    });
                    context.getBean(JobAdmin.class).cancel(id);
                });
    }

    @Test
    void withoutNotificationsPollingFindsTheJobs() {
        contexts.withPropertyValues("rowlock.notify.enabled=false", "rowlock.worker.poll-interval=50ms")
                .withBean(Greeter.class)
                .run(context -> {
                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("poll"));

                    assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
                    assertThat(context.getBean(Rowlock.class).status().hears()).isFalse();
                });
    }

    @Test
    void observersOfTheApplicationHearWhatHappens() {
        CountingObserver observer = new CountingObserver();
        contexts.withBean(Greeter.class)
                .withBean("failing", JobObserver.class, FailingObserver::new)
                .withBean("counting", JobObserver.class, () -> observer)
                .run(context -> {
                    context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("watched"));

                    assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
                    await().untilAtomic(observer.started, equalTo(1)); // told on the observer's own thread
                });
    }

    static class Isolated {
        record Look() {}

        private final CompletableFuture<String> isolation = new CompletableFuture<>();
        private final JdbcClient sql;

        Isolated(JdbcClient sql) {
            this.sql = sql;
        }

        @JobListener(transactional = true, isolation = Isolation.SERIALIZABLE)
        void look(Look look) {
            isolation.complete(
                    sql.sql("SHOW transaction_isolation").query(String.class).single());
        }
    }

    @Test
    void aListenersTransactionHasTheIsolationThatItAsksFor() {
        contexts.withConfiguration(AutoConfigurations.of(JdbcClientAutoConfiguration.class))
                .withBean(Isolated.class)
                .run(context -> {
                    context.getBean(JobTemplate.class).enqueue(new Isolated.Look());

                    assertThat(context.getBean(Isolated.class).isolation)
                            .succeedsWithin(Duration.ofSeconds(30))
                            .isEqualTo("serializable");
                });
    }

    @Test
    void observersMayEnqueue() {
        contexts.withBean(Greeter.class).withBean(EnqueueingObserver.class).run(context -> {
            context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("once"));

            Greeter greeter = context.getBean(Greeter.class);
            // In any order: observers hear on a thread of their own, while the handler begins.
            assertThat(List.of(greeter.nextCall().text(), greeter.nextCall().text()))
                    .containsExactlyInAnyOrder("once", "once more");
        });
    }

    @EnableRowlock
    static class EnabledTwice {}

    @Test
    void enableRowlockStopsTheStartBecausePropertiesWouldNotCount() {
        contexts.withUserConfiguration(EnabledTwice.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("@EnableRowlock is for applications without Spring Boot"));
    }

    @Test
    void aCustomizerSetsWhatHasNoProperty() {
        contexts.withBean("lambda", RowlockBuilderCustomizer.class, () -> builder -> builder.schema("elsewhere"))
                .run(context ->
                        assertThat(context.getBean(Rowlock.class).schema()).isEqualTo("elsewhere"));
    }

    @Test
    void anApplicationMayUseOurObviousNamesForItsOwnBeans() {
        contexts.withBean("jobTemplate", String.class, () -> "mine")
                .withBean("jobAdmin", String.class, () -> "mine")
                .withBean("jobSearch", String.class, () -> "mine")
                .withBean("jobListenerContainer", String.class, () -> "mine")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(JobTemplate.class)
                        .hasSingleBean(JobAdmin.class)
                        .hasSingleBean(JobSearch.class)
                        .hasSingleBean(JobListenerContainer.class));
    }

    @Test
    void aBeanThatNobodyWouldCallStopsTheStart() {
        contexts.withBean(Wakeups.class, () -> Wakeups.NONE)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("bean of type Wakeups, and nobody would call it"));
    }

    // Beans of the application go before ours

    @Test
    void everyBeanBacksOff() {
        contexts.withUserConfiguration(OwnBeans.class).run(context -> {
            assertThat(context).hasNotFailed();
            for (Class<?> type : new Class<?>[] {
                PayloadCodec.class,
                JobOperations.class,
                JobAdmin.class,
                JobSearch.class,
                JobListenerRegistry.class,
                JobListenerScanner.class,
                JobListenerContainer.class,
                Rowlock.class
            }) {
                assertThat(context.getBeanNamesForType(type))
                        .as(type.getSimpleName())
                        .hasSize(1)
                        .allMatch(name -> name.startsWith("own"));
            }
            assertThat(context)
                    .hasBean("rowlockHealthIndicator")
                    .getBean("rowlockHealthIndicator")
                    .isEqualTo("mine");
        });
    }

    @Test
    void beansOfBootDoNotBackOffBecauseOfUs() {
        contexts.withConfiguration(AutoConfigurations.of(
                        TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
                .withBean(Greeter.class)
                .withUserConfiguration(Scheduling.class)
                .run(context -> assertThat(context)
                        .hasBean("applicationTaskExecutor")
                        .hasBean("taskScheduler")
                        .hasSingleBean(TaskScheduler.class)
                        .hasSingleBean(DataSource.class)
                        .hasSingleBean(PlatformTransactionManager.class)
                        .hasSingleBean(JsonMapper.class)
                        .doesNotHaveBean(Flyway.class));
    }

    private static final class CountingObserver implements JobObserver {
        private final AtomicInteger started = new AtomicInteger();

        @Override
        public void started(dev.rowlock.queue.job.ClaimedJob job, java.time.Duration waited) {
            started.incrementAndGet();
        }
    }

    static final class EnqueueingObserver implements JobObserver {

        private final JobOperations jobs;
        private final AtomicBoolean done = new AtomicBoolean();

        EnqueueingObserver(JobOperations jobs) {
            this.jobs = jobs;
        }

        @Override
        public void started(dev.rowlock.queue.job.ClaimedJob job, java.time.Duration waited) {
            if (done.compareAndSet(false, true)) {
                jobs.enqueue(new Greeter.Greeting("once more"));
            }
        }
    }

    private static final class FailingObserver implements JobObserver {
        @Override
        public void started(dev.rowlock.queue.job.ClaimedJob job, java.time.Duration waited) {
            throw new IllegalStateException("on purpose");
        }
    }

    @org.springframework.scheduling.annotation.EnableScheduling
    @Configuration(proxyBeanMethods = false)
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    static class OwnBeans {

        @Bean
        Rowlock ownRowlock(DataSource dataSource) {
            return Rowlock.builder(dataSource).schemaElsewhere().build();
        }

        @Bean
        PayloadCodec ownCodec() {
            return new JacksonPayloadCodec(JsonMapper.shared());
        }

        @Bean
        JobOperations ownOperations() {
            return new NoOperations();
        }

        @Bean
        JobAdmin ownAdmin(Rowlock rowlock) {
            return rowlock.admin();
        }

        @Bean
        JobSearch ownSearch(Rowlock rowlock) {
            return rowlock.search();
        }

        @Bean
        JobListenerRegistry ownRegistry() {
            return new JobListenerRegistry();
        }

        @Bean
        JobListenerScanner ownScanner(JobListenerRegistry registry, PayloadCodec codec) {
            return new JobListenerScanner(
                    registry,
                    codec,
                    dev.rowlock.queue.spring.ListenerDefaults.of(dev.rowlock.queue.job.RetryPolicy.DEFAULT),
                    () -> null);
        }

        @Bean
        JobListenerContainer ownContainer(Rowlock rowlock) {
            return new JobListenerContainer(rowlock, listeners -> {});
        }

        @Bean
        String rowlockHealthIndicator() {
            return "mine";
        }
    }

    private static final class NoOperations implements JobOperations {
        @Override
        public long enqueue(Object payload, JobOptions options) {
            return 0;
        }

        @Override
        public EnqueueResult enqueueUnique(Object payload, UniqueKey key, JobOptions options) {
            return new EnqueueResult(0, Enqueued.KEPT);
        }

        @Override
        public List<EnqueueResult> enqueueEach(Collection<JobRequest> requests) {
            return List.of();
        }

        @Override
        public long[] enqueueAll(Collection<?> payloads, JobOptions options) {
            return new long[0];
        }

        @Override
        public long enqueueAll(Stream<dev.rowlock.queue.JobRequest> jobs, LongConsumer ids) {
            return 0;
        }
    }
}
