package dev.rowlock.queue.spring;

import dev.rowlock.queue.spi.DuplicateJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of this application, one for each type. Filled while the context starts. Thread-safe.
 */
public final class JobListenerRegistry {

    private final Map<String, ListenerDefinition> byType = new LinkedHashMap<>(); // guarded by this

    /**
     * Adds a listener. The node takes it up when it next starts.
     *
     * @throws DuplicateJobListenerException if another one takes the type, or one of its former names
     */
    public synchronized void register(ListenerDefinition listener) {
        for (String type : listener.types()) {
            ListenerDefinition sameType = byType.get(type);
            if (sameType != null) {
                throw new DuplicateJobListenerException(type, sameType, listener);
            }
        }
        byType.values().stream()
                .filter(other -> other.id().equals(listener.id()))
                .findAny()
                .ifPresent(sameId -> {
                    throw new IllegalArgumentException(
                            "its id '%s' is that of %s as well".formatted(listener.id(), sameId.name()));
                });
        listener.types().forEach(type -> byType.put(type, listener));
    }

    /** All listeners, in the order in which they were added. */
    public synchronized List<ListenerDefinition> definitions() {
        return byType.values().stream().distinct().toList();
    }

    /** The queue that the type's listener listens to; null if nobody here takes the type. */
    public synchronized @Nullable String queueOf(@Nullable String type) {
        ListenerDefinition listener = byType.get(type);
        return listener == null ? null : listener.queue();
    }
}
