package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** How many jobs of a queue this node runs at once: the property for the queue, or its listeners, or the default. */
public final class QueueConcurrency {

    private QueueConcurrency() {}

    /** Throws an {@link IllegalArgumentException} if listeners of one queue disagree and no property decides. */
    public static int of(String queue, List<ListenerDefinition> listeners, WorkerSettings settings) {
        Integer decided = settings.queues().get(queue);
        if (decided != null) {
            return decided;
        }
        Set<Integer> wanted =
                listeners.stream().map(listener -> wanted(listener, settings)).collect(Collectors.toSet());
        if (wanted.size() > 1) {
            throw new IllegalArgumentException(
                    "queue '%s': its listeners share its threads and want different concurrency: %s. Give one of them a queue of its own, make them agree, or set rowlock.queues.%s.concurrency"
                            .formatted(queue, described(listeners, settings), queue));
        }
        return wanted.isEmpty() ? settings.concurrency() : wanted.iterator().next();
    }

    private static int wanted(ListenerDefinition listener, WorkerSettings settings) {
        return listener.concurrency() != null ? listener.concurrency() : settings.concurrency();
    }

    private static String described(List<ListenerDefinition> listeners, WorkerSettings settings) {
        return listeners.stream()
                .map(listener -> listener.concurrency() != null
                        ? "%s %d".formatted(listener.name(), listener.concurrency())
                        : "%s nothing, so the default %d".formatted(listener.name(), settings.concurrency()))
                .collect(Collectors.joining(", "));
    }
}
