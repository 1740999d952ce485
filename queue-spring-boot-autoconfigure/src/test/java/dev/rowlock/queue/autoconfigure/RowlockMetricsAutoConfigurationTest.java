package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.observe.JobMetrics;
import dev.rowlock.queue.observe.QueueMetrics;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@PostgresTest
class RowlockMetricsAutoConfigurationTest {

    private final ApplicationContextRunner contexts;

    RowlockMetricsAutoConfigurationTest(TestDatabase database) {
        this.contexts = Contexts.on(database);
    }

    @Test
    void jobsThatRunAreMetered() {
        withMetrics().withBean(Greeter.class).run(context -> {
            context.getBean(JobTemplate.class).enqueue(new Greeter.Greeting("metered"));

            assertThat(context.getBean(Greeter.class).nextCall()).isNotNull();
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            await().until(() -> registry
                            .find("rowlock.job.process")
                            .tags("queue", "greetings", "type", "Greeting", "outcome", "completed")
                            .timers()
                            .stream()
                            .mapToLong(Timer::count)
                            .sum()
                    == 1);
            assertThat(registry.find("rowlock.queue.snapshot.age").gauge()).isNotNull();
        });
    }

    @Test
    void queuesAreMeteredUnderLazyInitialization() {
        withMetrics()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withBean(Greeter.class)
                .run(context -> assertThat(context.getBean(MeterRegistry.class)
                                .find("rowlock.queue.snapshot.age")
                                .gauge())
                        .isNotNull());
    }

    @Test
    void withoutARegistryThereAreNoMeters() {
        contexts.run(
                context -> assertThat(context).doesNotHaveBean(JobMetrics.class).doesNotHaveBean(QueueMetrics.class));
    }

    @Test
    void theApplicationsOwnMetersReplaceOurs() {
        withMetrics()
                .withBean("own", JobMetrics.class)
                .run(context -> assertThat(context.getBeanNamesForType(JobMetrics.class))
                        .containsExactly("own"));
    }

    @Test
    void disabledMeansNoMeters() {
        withMetrics()
                .withPropertyValues("rowlock.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(JobMetrics.class)
                        .doesNotHaveBean(QueueMetrics.class));
    }

    private ApplicationContextRunner withMetrics() {
        return contexts.withConfiguration(AutoConfigurations.of(
                MetricsAutoConfiguration.class,
                SimpleMetricsExportAutoConfiguration.class,
                CompositeMeterRegistryAutoConfiguration.class));
    }
}
