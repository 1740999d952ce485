package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Limits that an application declares for its queues: by settings, or else by listeners. */
public final class DeclaredLimits {

    private DeclaredLimits() {}

    /**
     * One for each queue.
     *
     * @param settings by queue
     * @throws IllegalArgumentException if listeners of one queue contradict each other and no setting decides
     */
    public static Collection<QueueLimit> of(
            Map<String, QueueLimit> settings, Collection<ListenerDefinition> listeners) {
        Map<String, QueueLimit> all = new TreeMap<>(settings);
        Map<String, ListenerDefinition> said = new TreeMap<>();
        for (ListenerDefinition listener : listeners) {
            QueueLimit limit = listener.limit();
            if (limit == null || settings.containsKey(listener.queue())) {
                continue;
            }
            ListenerDefinition before = said.putIfAbsent(listener.queue(), listener);
            if (before != null && !limit.equals(before.limit())) {
                throw new IllegalArgumentException("%s and %s contradict each other: %s, and %s; a queue has one limit"
                        .formatted(before, listener, before.limit(), limit));
            }
            all.put(listener.queue(), limit);
        }
        return all.values();
    }
}
