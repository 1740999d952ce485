package dev.rowlock.queue.trace;

import dev.rowlock.queue.spi.EnqueueCall;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A call that enqueues. Its carrier is what the propagator writes into the headers of its jobs. */
public final class EnqueueObservationContext extends SenderContext<Map<String, String>> {

    private final EnqueueCall call;
    private final String clientId;
    private final @Nullable String conversation;

    /** @param conversation that the call goes on with; null: it begins one */
    EnqueueObservationContext(EnqueueCall call, String clientId, @Nullable String conversation) {
        super((carrier, key, value) -> Objects.requireNonNull(carrier).put(key, value));
        this.call = call;
        this.clientId = clientId;
        this.conversation = conversation;
        setCarrier(new LinkedHashMap<>());
    }

    /** The call; before its end it does not know everything. */
    public EnqueueCall call() {
        return call;
    }

    /** What this process is called. */
    public String clientId() {
        return clientId;
    }

    /** The id of the conversation to which the jobs belong; null if there is none, as without a tracer. */
    public @Nullable String conversation() {
        return conversation != null ? conversation : TraceHeaders.traceId(carrier());
    }

    Map<String, String> carrier() {
        return Objects.requireNonNull(getCarrier());
    }
}
