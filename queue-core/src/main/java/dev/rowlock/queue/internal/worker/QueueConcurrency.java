package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.WorkerSettings;
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
        Set<Integer> wanted = listeners.stream()
                .map(ListenerDefinition::concurrency)
                .filter(java.util.Objects::nonNull)
                .collect(Collectors.toSet());
        if (wanted.size() > 1) {
            throw new IllegalArgumentException(
                    "queue '%s': its listeners %s ask for different concurrency %s, but share its threads: make them agree, or set rowlock.queues.%s.concurrency"
                            .formatted(
                                    queue,
                                    listeners.stream()
                                            .map(ListenerDefinition::name)
                                            .toList(),
                                    wanted,
                                    queue));
        }
        return wanted.isEmpty() ? settings.concurrency() : wanted.iterator().next();
    }
}
