package dev.rowlock.queue.internal.wake;

import dev.rowlock.queue.internal.db.ReadyJobs;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Keys of queues that have jobs, or room for one. Of many in one queue nobody need know which they are. One thread at a time. */
final class ReadyKeys {

    private static final String ANY = ""; // a key has one character at least

    private final Map<String, Set<String>> byQueue = new HashMap<>();

    /** @param key null: nobody knows which */
    void add(String queue, @Nullable String key) {
        Set<String> keys = byQueue.computeIfAbsent(queue, name -> new LinkedHashSet<>());
        if (keys.size() <= ReadyJobs.MOST_KEYS) {
            keys.add(key == null ? ANY : key);
        }
    }

    void addAll(ReadyKeys others) {
        others.byQueue.forEach((queue, keys) -> keys.forEach(key -> add(queue, key)));
    }

    /** Each queue with each of its keys, or once with null. */
    void forEach(BiConsumer<String, @Nullable String> told) {
        byQueue.forEach((queue, keys) -> {
            if (keys.size() > ReadyJobs.MOST_KEYS || keys.contains(ANY)) {
                told.accept(queue, null);
            } else {
                keys.forEach(key -> told.accept(queue, key));
            }
        });
    }

    boolean isEmpty() {
        return byQueue.isEmpty();
    }
}
