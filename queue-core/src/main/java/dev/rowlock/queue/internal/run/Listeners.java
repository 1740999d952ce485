package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.DuplicateJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of all sources, one for each type, and which of them are started. Starting or stopping one at run time outlasts a stop of the node.
 * Switched by one thread at a time.
 */
public final class Listeners {

    private final List<ListenerSource> sources;
    private final PayloadCodec codec;
    private final RetryPolicy retry;
    private final boolean autoStartup;
    private final Map<String, Boolean> switched = new HashMap<>(); // by id

    /**
     * @param retry of listeners that say nothing
     * @param autoStartup for listeners that say nothing
     */
    public Listeners(List<ListenerSource> sources, PayloadCodec codec, RetryPolicy retry, boolean autoStartup) {
        this.sources = sources;
        this.codec = codec;
        this.retry = retry;
        this.autoStartup = autoStartup;
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

    /** Returns whether that is a change. */
    public boolean turn(ListenerDefinition listener, boolean on) {
        boolean before = on(listener);
        switched.put(listener.id(), on);
        return before != on;
    }

    public boolean on(ListenerDefinition listener) {
        boolean byDefault = listener.autoStartup() != null ? listener.autoStartup() : autoStartup;
        return switched.getOrDefault(listener.id(), byDefault);
    }

    /** The types of those that are off. */
    public Set<String> typesOff(List<ListenerDefinition> listeners) {
        return listeners.stream()
                .filter(listener -> !on(listener))
                .flatMap(listener -> listener.types().stream())
                .collect(Collectors.toUnmodifiableSet());
    }
}
