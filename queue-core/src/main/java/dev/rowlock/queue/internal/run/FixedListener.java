package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A source of one listener. */
public record FixedListener(ListenerDefinition listener) implements ListenerSource {

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        return List.of(listener);
    }

    @Override
    public @Nullable String queueOf(String type) {
        return type.equals(listener.type()) ? listener.queue() : null;
    }
}
