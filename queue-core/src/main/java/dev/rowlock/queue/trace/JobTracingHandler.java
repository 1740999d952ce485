package dev.rowlock.queue.trace;

import dev.rowlock.queue.trace.TraceHeaders.Origin;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import java.util.Map;

/**
 * Makes the spans of attempts. Observations have no links, so no handler of Micrometer's can do it. It must come before
 * {@code PropagatingReceiverTracingObservationHandler}, and is none: Boot's own would back off.
 */
public final class JobTracingHandler implements TracingObservationHandler<ProcessObservationContext> {

    /** More links than that are dropped by tracers. */
    private static final int MOST_LINKS = 128;

    private final Tracer tracer;
    private final Propagator propagator;

    public JobTracingHandler(Tracer tracer, Propagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ProcessObservationContext;
    }

    @Override
    public void onStart(ProcessObservationContext context) {
        boolean child = context.child();
        // The builder of Brave's bridge has no setNoParent: it must not learn of a parent.
        Map<String, String> carrier = child ? context.headers() : TraceHeaders.withoutOrigin(context.headers());
        Span.Builder span = propagator
                .extract(carrier, Map::get)
                .kind(Span.Kind.valueOf(context.getKind().name()));
        if (!child) {
            span.setNoParent();
            context.allHeaders().stream()
                    .map(TraceHeaders::origin)
                    .filter(origin -> origin != null)
                    .distinct()
                    .limit(MOST_LINKS)
                    .forEach(origin -> span.addLink(new Link(traceContext(origin))));
        }
        getTracingContext(context).setSpan(span.start());
    }

    private TraceContext traceContext(Origin origin) {
        return tracer.traceContextBuilder()
                .traceId(origin.longTraceId())
                .spanId(origin.spanId())
                .sampled(origin.sampled())
                .build();
    }

    @Override
    public void onStop(ProcessObservationContext context) {
        Span span = getRequiredSpan(context);
        span.name(getSpanName(context));
        tagSpan(context, span);
        endSpan(context, span);
    }

    @Override
    public Tracer getTracer() {
        return tracer;
    }
}
