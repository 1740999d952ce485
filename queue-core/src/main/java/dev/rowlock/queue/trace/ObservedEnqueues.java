package dev.rowlock.queue.trace;

import dev.rowlock.queue.spi.EnqueueCall;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observes calls that enqueue as {@code rowlock.job.enqueue}, and writes the context of their spans into the headers of the jobs. Thread-safe.
 *
 * <p>What handlers of observations throw is logged and keeps no call from being made. Where the caller's transaction rolls
 * back later, the span remains, and no job comes of it.
 */
public final class ObservedEnqueues implements EnqueueInterceptor {

    private final ObservationRegistry registry;
    private final ObservationSettings settings;

    public ObservedEnqueues(ObservationRegistry registry, ObservationSettings settings) {
        this.registry = registry;
        this.settings = settings;
    }

    @Override
    public void intercept(EnqueueCall call, Runnable next) {
        if (registry.isNoop()) {
            next.run();
            return;
        }
        String running = running();
        String asked = call.requested().get(TraceHeaders.CONVERSATION);
        EnqueueObservationContext context =
                new EnqueueObservationContext(call, settings.clientId(), asked != null ? asked : running);
        try (Observed observed = Observed.begin(settings.enqueue(), context, registry)) {
            call.headers(TraceHeaders.context(context.carrier()));
            call.headers(TraceHeaders.baggage(context.carrier()));
            if (running != null) {
                call.headers(Map.of(TraceHeaders.CONVERSATION, running));
            }
            try {
                next.run();
            } catch (Throwable e) {
                observed.error(e);
                throw e;
            }
        }
    }

    /** The conversation of the job whose handler this thread runs; null if it runs none. */
    private @Nullable String running() {
        ObservationView observation = registry.getCurrentObservation();
        while (observation != null) {
            Observation.ContextView context = observation.getContextView();
            if (context instanceof ProcessObservationContext process) {
                return process.conversation();
            }
            observation = context.getParentObservation();
        }
        return null;
    }
}
