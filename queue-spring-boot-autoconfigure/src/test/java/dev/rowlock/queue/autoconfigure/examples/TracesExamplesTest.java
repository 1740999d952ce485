package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.trace.DefaultProcessObservationConvention;
import dev.rowlock.queue.trace.ObservationSettings;
import dev.rowlock.queue.trace.ObservedAttempts;
import dev.rowlock.queue.trace.ObservedEnqueues;
import dev.rowlock.queue.trace.ProcessObservationContext;
import dev.rowlock.queue.trace.ProcessObservationConvention;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The examples of docs/traces.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class TracesExamplesTest {

    record SendInvoice(long order) {}

    private final ApplicationContextRunner contexts;

    TracesExamplesTest(TestDatabase database) {
        this.contexts = Contexts.on(database)
                .withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class))
                .withUserConfiguration(Application.class);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final Queue<Map<String, String>> headers = new ConcurrentLinkedQueue<>();

        @JobListener
        void send(SendInvoice invoice, JobContext job) {
            headers.add(job.headers());
        }

        @Bean
        ProcessObservationConvention withTenant() {
            DefaultProcessObservationConvention usual = new DefaultProcessObservationConvention();
            return new ProcessObservationConvention() {
                @Override
                public String getName() {
                    return usual.getName();
                }

                @Override
                public String getContextualName(ProcessObservationContext context) {
                    return usual.getContextualName(context);
                }

                @Override
                public KeyValues getLowCardinalityKeyValues(ProcessObservationContext context) {
                    return usual.getLowCardinalityKeyValues(context);
                }

                @Override
                public KeyValues getHighCardinalityKeyValues(ProcessObservationContext context) {
                    String tenant = context.headers().getOrDefault("tenant", "none");
                    return usual.getHighCardinalityKeyValues(context).and("tenant", tenant);
                }
            };
        }

        @Bean
        EnqueueInterceptor versions() {
            return (call, next) -> {
                call.headers(Map.of("enqueued-by", "shop-1.7"));
                next.run();
            };
        }

        @Bean
        Ends ends() {
            return new Ends();
        }
    }

    /** Notes observations as they end. */
    static final class Ends implements ObservationHandler<Observation.Context> {

        final Queue<Observation.Context> all = new ConcurrentLinkedQueue<>();

        @Override
        public void onStop(Observation.Context context) {
            all.add(context);
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        String keyOf(String name, String key) {
            Awaitility.await().until(() -> all.stream().anyMatch(context -> name.equals(context.getContextualName())));
            return all.stream()
                    .filter(context -> name.equals(context.getContextualName()))
                    .findFirst()
                    .orElseThrow()
                    .getHighCardinalityKeyValue(key)
                    .getValue();
        }
    }

    @Test
    void theBeansOfThePageTakePart() {
        contexts.run(context -> {
            JobOperations jobs = context.getBean(JobOperations.class);
            jobs.enqueue(new SendInvoice(7), o -> o.header("conversation-id", "order-7"));

            Ends ends = context.getBean(Ends.class);
            assertThat(ends.keyOf("process default", "tenant")).isEqualTo("none");
            assertThat(ends.keyOf("process default", "messaging.message.conversation_id"))
                    .isEqualTo("order-7");
            assertThat(context.getBean(Application.class).headers)
                    .containsExactly(Map.of("conversation-id", "order-7", "enqueued-by", "shop-1.7"));
        });
    }

    @Test
    void theBuilderIsObservedToo(TestDatabase database) {
        ObservationRegistry registry = ObservationRegistry.create();
        Ends ends = new Ends();
        registry.observationConfig().observationHandler(ends);
        try (Rowlock rowlock = observed(Rowlock.builder(database.dataSource()), registry)
                .listener(SendInvoice.class, (invoice, job) -> {})
                .build()) {
            rowlock.start();

            long id = rowlock.jobs().enqueue(new SendInvoice(7));

            assertThat(ends.keyOf("process default", "messaging.message.id")).isEqualTo(Long.toString(id));
            assertThat(ends.keyOf("send default", "messaging.message.id")).isEqualTo(Long.toString(id));
        }
    }

    static RowlockBuilder observed(RowlockBuilder builder, ObservationRegistry registry) {
        ObservationSettings settings = ObservationSettings.defaults();
        return builder.enqueueInterceptors(() -> List.of(new ObservedEnqueues(registry, settings)))
                .attemptInterceptors(() -> List.of(new ObservedAttempts(registry, settings)));
    }
}
