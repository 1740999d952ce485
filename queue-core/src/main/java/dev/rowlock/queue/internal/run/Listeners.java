package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.DuplicateJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The listeners of all sources, one for each type. */
public final class Listeners {

    private final List<ListenerSource> sources;
    private final PayloadCodec codec;
    private final RetryPolicy retry;

    public Listeners(List<ListenerSource> sources, PayloadCodec codec, RetryPolicy retry) {
        this.sources = sources;
        this.codec = codec;
        this.retry = retry;
    }

    public List<ListenerDefinition> all() {
        Map<String, ListenerDefinition> byType = new LinkedHashMap<>();
        for (ListenerSource source : sources) {
            for (ListenerDefinition listener : source.listeners(codec, retry)) {
                for (String type : listener.types()) {
                    ListenerDefinition sameType = byType.putIfAbsent(type, listener);
                    if (sameType != null) {
                        throw new DuplicateJobListenerException(type, sameType, listener);
                    }
                }
            }
        }
        return byType.values().stream().distinct().toList();
    }

    /** Null if no listener takes the type. */
    public @Nullable String queueOf(@Nullable String type) {
        if (type != null) {
            for (ListenerSource source : sources) {
                String queue = source.queueOf(type);
                if (queue != null) {
                    return queue;
                }
            }
        }
        return null;
    }
}
