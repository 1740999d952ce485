package dev.rowlock.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.trace.EnqueueObservationContext;
import dev.rowlock.queue.trace.EnqueueObservationConvention;
import dev.rowlock.queue.trace.JobTracingHandler;
import dev.rowlock.queue.trace.ObservedAttempts;
import dev.rowlock.queue.trace.ObservedEnqueues;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@PostgresTest
class RowlockObservationAutoConfigurationTest {

    private final ApplicationContextRunner contexts;
    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();

    RowlockObservationAutoConfigurationTest(TestDatabase database) {
        this.contexts = Contexts.on(database).withBean(Greeter.class);
    }

    private ApplicationContextRunner observed() {
        return contexts.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class));
    }

    private ApplicationContextRunner traced() {
        return observed()
                .withConfiguration(AutoConfigurations.of(
                        MicrometerTracingAutoConfiguration.class,
                        OpenTelemetrySdkAutoConfiguration.class,
                        OpenTelemetryTracingAutoConfiguration.class))
                .withBean(SimpleSpanProcessor.class, () -> (SimpleSpanProcessor) SimpleSpanProcessor.create(exporter))
                .withPropertyValues("management.tracing.sampling.probability=1.0");
    }

    private static long enqueue(AssertableApplicationContext context) {
        long id = Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
                .observe(() -> context.getBean(JobOperations.class).enqueue(new Greeter.Greeting("hello")));
        Awaitility.await()
                .until(() ->
                        context.getBean(JobSearch.class).find(id).orElseThrow().state() == JobState.COMPLETED);
        return id;
    }

    private SpanData span(String name) {
        Awaitility.await()
                .until(() -> exporter.getFinishedSpanItems().stream()
                        .anyMatch(span -> span.getName().equals(name)));
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void jobsBelongToTheTraceOfTheirRequest() {
        traced().run(context -> {
            enqueue(context);

            SpanData process = span("process greetings");
            assertThat(process.getParentSpanId())
                    .isEqualTo(span("send greetings").getSpanId());
            assertThat(process.getTraceId()).isEqualTo(span("request").getTraceId());
        });
    }

    @Test
    void attemptsThatAreNotSoonAreLinked() {
        traced().withPropertyValues("rowlock.observations.parent-within=0").run(context -> {
            context.getBean(JobOperations.class)
                    .enqueue(new Greeter.Greeting("hello"), o -> o.delay(Duration.ofMillis(20)));

            SpanData process = span("process greetings");
            assertThat(process.getTraceId()).isNotEqualTo(span("send greetings").getTraceId());
            assertThat(process.getLinks())
                    .extracting(link -> link.getSpanContext().getSpanId())
                    .containsExactly(span("send greetings").getSpanId());
        });
    }

    @Test
    void nothingOfTheApplicationsOwnPropagationIsTakenAway() {
        traced().withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
                .withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                .run(context -> assertThat(context)
                        .hasSingleBean(JobTracingHandler.class)
                        .hasSingleBean(PropagatingReceiverTracingObservationHandler.class)
                        .hasSingleBean(PropagatingSenderTracingObservationHandler.class)
                        .hasSingleBean(DefaultMeterObservationHandler.class));
    }

    /** Prometheus refuses a second meter of a name if its tags are others. */
    @Test
    void theTimerOfAttemptsIsThereOnceAndThatOfEnqueuesIsTheObservations() {
        traced().withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
                .withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                .run(context -> {
                    enqueue(context);
                    span("process greetings");

                    PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
                    Awaitility.await().until(() -> registry.scrape().contains("rowlock_job_process_seconds_count"));
                    String scrape = registry.scrape();
                    assertThat(scrape.lines().filter(line -> line.startsWith("rowlock_job_process_")))
                            .isNotEmpty()
                            .allSatisfy(line -> assertThat(line).contains("queue=\"greetings\""));
                    assertThat(scrape.lines().filter(line -> line.startsWith("rowlock_job_enqueue_seconds_count")))
                            .singleElement()
                            .asString()
                            .contains("messaging_destination_name=\"greetings\"")
                            .contains("rowlock_job_outcome=\"created\"");
                });
    }

    /** Names of queues may come from data. */
    @Test
    void thousandsOfQueuesMakeNoThousandsOfTimers() {
        observed()
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
                .withBean(PrometheusMeterRegistry.class, () -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                .withPropertyValues("rowlock.worker.allow-unknown-queues=true")
                .run(context -> {
                    JobOperations jobs = context.getBean(JobOperations.class);
                    for (int tenant = 0; tenant < 300; tenant++) {
                        String queue = "tenant-" + tenant;
                        jobs.enqueue(
                                new Greeter.Greeting("hello"),
                                o -> o.queue(queue).delay(Duration.ofDays(1)));
                    }

                    assertThat(context.getBean(PrometheusMeterRegistry.class)
                                    .find("rowlock.job.enqueue")
                                    .timers())
                            .hasSize(201)
                            .anyMatch(timer -> timer.count() == 100
                                    && "others".equals(timer.getId().getTag("messaging.destination.name")));
                });
    }

    @Test
    void withoutATracerThereAreObservationsAndNoHeaders() {
        observed().run(context -> {
            assertThat(context).hasSingleBean(ObservedEnqueues.class).doesNotHaveBean(JobTracingHandler.class);
            enqueue(context);
        });
    }

    @Test
    void withoutARegistryNothingIsObserved() {
        contexts.run(context -> assertThat(context)
                .doesNotHaveBean(ObservedEnqueues.class)
                .doesNotHaveBean(ObservedAttempts.class)
                .doesNotHaveBean(EnqueueInterceptor.class));
    }

    @Test
    void aPropertySwitchesItOff() {
        traced().withPropertyValues("management.observations.enable.rowlock=false")
                .run(context -> {
                    assertThat(context)
                            .doesNotHaveBean(ObservedEnqueues.class)
                            .doesNotHaveBean(JobTracingHandler.class);
                    enqueue(context);
                });
    }

    @Test
    void micrometerMayBeMissing() {
        contexts.withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
                .run(context -> assertThat(context).hasNotFailed());
        contexts.withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(ObservedEnqueues.class));
    }

    /** Has a name of its own. */
    static final class OwnNames implements EnqueueObservationConvention {

        @Override
        public String getName() {
            return "orders.sent";
        }

        @Override
        public String getContextualName(EnqueueObservationContext context) {
            return "my " + context.call().type().orElse("jobs");
        }
    }

    @Test
    void aConventionOfTheApplicationReplacesOurs() {
        traced().withBean(OwnNames.class).run(context -> {
            enqueue(context);

            assertThat(span("my Greeting").getName()).isEqualTo("my Greeting");
        });
    }

    @Test
    void aTimeThatIsNotAllowedStopsTheStartAndNamesTheProperty() {
        observed()
                .withPropertyValues("rowlock.observations.parent-within=-1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("parent-within -1s must lie between 0 and 1 day"));
    }
}
