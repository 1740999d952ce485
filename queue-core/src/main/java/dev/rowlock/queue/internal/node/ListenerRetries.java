package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.db.StoredRetries;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.stream.Stream;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Retries and back-off of this node's listeners, stored for the janitors of other nodes, which have neither the listeners nor their strategies.
 */
final class ListenerRetries {

    /** By then all usual policies have reached their longest wait. */
    private static final int MOST_WAITS = 20;

    private ListenerRetries() {}

    /** As a JSON object by type. */
    static String json(Stream<ListenerDefinition> listeners) {
        ObjectNode byType = JsonNodeFactory.instance.objectNode();
        listeners.forEach(listener -> {
            ObjectNode retries = StoredRetries.of(listener.retry().fallback(), MOST_WAITS);
            listener.types().forEach(type -> byType.set(type, retries));
        });
        return byType.toString();
    }
}
