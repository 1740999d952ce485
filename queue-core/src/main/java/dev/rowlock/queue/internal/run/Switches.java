package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Which listeners are started. Starting or stopping one at run time outlasts a stop of the node. Not thread-safe. */
public final class Switches {

    private final boolean autoStartup;
    private final Map<String, Boolean> said = new HashMap<>(); // by id

    /** @param autoStartup for listeners that say nothing */
    public Switches(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    /** Returns whether that is a change. */
    public boolean turn(ListenerDefinition listener, boolean on) {
        boolean before = on(listener);
        said.put(listener.id(), on);
        return before != on;
    }

    public boolean on(ListenerDefinition listener) {
        boolean byDefault = listener.autoStartup() != null ? listener.autoStartup() : autoStartup;
        return said.getOrDefault(listener.id(), byDefault);
    }

    /** The types of those that are off. */
    public Set<String> typesOff(List<ListenerDefinition> listeners) {
        return listeners.stream()
                .filter(listener -> !on(listener))
                .flatMap(listener -> listener.types().stream())
                .collect(Collectors.toUnmodifiableSet());
    }
}
