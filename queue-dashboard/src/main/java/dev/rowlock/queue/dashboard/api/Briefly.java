package dev.rowlock.queue.dashboard.api;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Answers that all viewers share for some seconds, so that a page that reads itself again costs the same for one viewer and for a hundred. Thread-safe. */
final class Briefly<K, V> {

    private static final int MOST = 1_000;

    private final long nanos;
    private final Map<K, Kept<V>> kept = new HashMap<>(); // guarded by this

    private record Kept<V>(V value, long until) {}

    Briefly(Duration time) {
        this.nanos = time.toNanos();
    }

    /** Viewers who ask at the same time wait for one answer. */
    synchronized V get(K key, Supplier<V> read) {
        Kept<V> one = kept.get(key);
        if (one == null || System.nanoTime() - one.until >= 0) {
            V value = read.get();
            if (kept.size() >= MOST) {
                kept.clear();
            }
            one = new Kept<>(value, System.nanoTime() + nanos);
            kept.put(key, one);
        }
        return one.value;
    }
}
