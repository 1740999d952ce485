package dev.rowlock.queue.trace;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler.FirstMatchingCompositeObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.EventPublishingContextWrapper;
import io.micrometer.tracing.otel.bridge.OtelBaggageManager;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.otel.bridge.Slf4JEventListener;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** A process with a tracer of its own, which shares nothing with others but the database and the exporter. */
final class TracedProcess {

    private static final Slf4JEventListener MDC_LISTENER = new Slf4JEventListener();
    private static final OtelCurrentTraceContext CURRENT = new OtelCurrentTraceContext();

    static {
        ContextStorage.addWrapper(new EventPublishingContextWrapper(MDC_LISTENER::onEvent));
    }

    final ObservationRegistry registry = ObservationRegistry.create();
    final Tracer tracer;
    final ObservationSettings settings;

    /** With OpenTelemetry, and headers of W3C. */
    TracedProcess(String name, InMemorySpanExporter exporter, Duration parentWithin) {
        this(
                name,
                exporter,
                parentWithin,
                TextMapPropagator.composite(
                        W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance()));
    }

    TracedProcess(String name, InMemorySpanExporter exporter, Duration parentWithin, TextMapPropagator format) {
        this(name, parentWithin, sdk(exporter), format);
    }

    private TracedProcess(
            String name, Duration parentWithin, io.opentelemetry.api.trace.Tracer otel, TextMapPropagator format) {
        this(
                name,
                parentWithin,
                new OtelTracer(
                        otel,
                        CURRENT,
                        MDC_LISTENER::onEvent,
                        new OtelBaggageManager(CURRENT, List.of("tenant"), List.of())),
                new OtelPropagator(ContextPropagators.create(format), otel));
    }

    TracedProcess(String name, Duration parentWithin, Tracer tracer, Propagator propagator) {
        ObservationSettings defaults = ObservationSettings.defaults();
        this.settings = new ObservationSettings(name, parentWithin, defaults.enqueue(), defaults.process());
        this.tracer = tracer;
        registry.observationConfig()
                .observationHandler(new FirstMatchingCompositeObservationHandler(
                        new JobTracingHandler(tracer, propagator),
                        new PropagatingReceiverTracingObservationHandler<>(tracer, propagator),
                        new PropagatingSenderTracingObservationHandler<>(tracer, propagator),
                        new DefaultTracingObservationHandler(tracer)));
    }

    private static io.opentelemetry.api.trace.Tracer sdk(InMemorySpanExporter exporter) {
        return SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build()
                .get("test");
    }

    /** Polls often and retries soon. */
    RowlockBuilder rowlock(DataSource pool) {
        return Rowlock.builder(pool)
                .keepAlive(false)
                .lease(new LeaseSettings(settings.clientId(), Duration.ofSeconds(30), Duration.ofMillis(200), 3))
                .retry(RetryPolicy.fixed(Duration.ofMillis(20)).maxRetries(1))
                .worker(WorkerSettings.DEFAULT
                        .withConcurrency(4)
                        .withFetch(new FetchSettings(Duration.ofMillis(200), Duration.ofMillis(250), 100)))
                .enqueueInterceptors(() -> List.of(new ObservedEnqueues(registry, settings)))
                .attemptInterceptors(() -> List.of(new ObservedAttempts(registry, settings)));
    }

    /** As a web framework observes a request. */
    <T> T request(Supplier<T> work) {
        return Observation.createNotStarted("http.server.requests", registry)
                .contextualName("http post /orders")
                .observe(work);
    }
}
