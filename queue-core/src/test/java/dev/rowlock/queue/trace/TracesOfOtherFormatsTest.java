package dev.rowlock.queue.trace;

import static org.assertj.core.api.Assertions.assertThat;

import brave.Tracing;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.StrictCurrentTraceContext;
import brave.propagation.TraceContext;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.tracing.brave.bridge.BraveBaggageManager;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.extension.trace.propagation.B3Propagator;
import io.opentelemetry.sdk.trace.data.LinkData;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Not every application has OpenTelemetry, and not all headers are W3C's. */
class TracesOfOtherFormatsTest extends TracingTest {

    TracesOfOtherFormatsTest(TestDatabase database) {
        super(database);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTraceGoesOnByHeadersOfB3(boolean severalHeaders) {
        TextMapPropagator b3 =
                severalHeaders ? B3Propagator.injectingMultiHeaders() : B3Propagator.injectingSingleHeader();
        Duration minute = Duration.ofMinutes(1);
        Rowlock front = opened(new TracedProcess("web", exporter, minute, b3).rowlock(pool));
        started(new TracedProcess("node", exporter, minute, b3)
                .rowlock(pool)
                .listener(Order.class, (order, job) -> throwAtFirst(job)));

        long id = front.jobs().enqueue(new Order(7));

        var send = span("send orders");
        var attempts = spans("process orders", 2);
        assertChild(attempts.get(0), send);
        assertLinked(attempts.get(1), send);
        assertThat(headers(id))
                .containsOnlyKeys(
                        severalHeaders ? List.of("X-B3-TraceId", "X-B3-SpanId", "X-B3-Sampled") : List.of("b3"));
    }

    @Test
    void aShortTraceIdOfAnOlderProcessIsLinkedTo() {
        started(new TracedProcess("node", exporter, Duration.ZERO, B3Propagator.injectingSingleHeader())
                .rowlock(pool)
                .listener(Order.class, (order, job) -> {}));

        opened(Rowlock.builder(pool))
                .jobs()
                .enqueue(new Order(7), o -> o.header("b3", "463ac35c9f6413ad-a2fb4a1d1a96d312-1"));

        assertThat(span("process orders").getLinks())
                .extracting(LinkData::getSpanContext)
                .extracting(origin -> origin.getTraceId() + " " + origin.getSpanId())
                .containsExactly("0000000000000000463ac35c9f6413ad a2fb4a1d1a96d312");
    }

    @Test
    void bravesTracerTellsTheSameStory() {
        List<MutableSpan> spans = new CopyOnWriteArrayList<>();
        try (Tracing brave = tracing(spans)) {
            Rowlock worker =
                    started(process(brave).rowlock(pool).listener(Order.class, (order, job) -> throwAtFirst(job)));

            long id = worker.jobs().enqueue(new Order(7));

            Awaitility.await().until(() -> spans.size() == 3);
            Map<Boolean, List<MutableSpan>> bySending =
                    spans.stream().collect(Collectors.partitioningBy(span -> "send orders".equals(span.name())));
            MutableSpan send = bySending.get(true).get(0);
            List<MutableSpan> attempts = bySending.get(false);
            assertThat(headers(id)).isNotEmpty();
            assertThat(attempts.get(0).traceId()).isEqualTo(send.traceId());
            assertThat(attempts.get(0).parentId()).isEqualTo(send.id());
            assertThat(attempts.get(1).traceId()).isNotEqualTo(send.traceId());
            assertThat(attempts.get(1).parentId()).isNull();
            assertThat(attempts.get(1).tags()).containsValues(send.traceId(), send.id());
        }
    }

    private static Tracing tracing(List<MutableSpan> spans) {
        return Tracing.newBuilder()
                .currentTraceContext(StrictCurrentTraceContext.create())
                .traceId128Bit(true)
                .addSpanHandler(new SpanHandler() {
                    @Override
                    public boolean end(TraceContext context, MutableSpan span, Cause cause) {
                        return spans.add(span);
                    }
                })
                .build();
    }

    private static TracedProcess process(Tracing brave) {
        BraveTracer tracer = new BraveTracer(
                brave.tracer(), new BraveCurrentTraceContext(brave.currentTraceContext()), new BraveBaggageManager());
        return new TracedProcess("node", Duration.ofMinutes(1), tracer, new BravePropagator(brave));
    }
}
