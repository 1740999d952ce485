package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.internal.store.BeatNode.Heartbeat;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this node has seen of the other nodes' heartbeats. One that has stood still for its whole lease while this node watched
 * is a death. Times are monotonic, in nanoseconds: the server's clock, which may be set at any moment, only says more exactly
 * when between two looks a node has beaten. Thread-safe.
 *
 * <p>Each look must follow the last one within the gap, otherwise the watch begins anew: after a database outage nobody looks
 * alive, and nobody may be declared dead before everybody had the chance to beat.
 */
final class OtherNodes {

    private final Duration gap;
    private Map<Long, Sight> sights = Map.of(); // guarded by this; by node
    private @Nullable Long lookedAt; // guarded by this; null: not yet

    /** @param gap the longest time between two looks after which the watch goes on */
    OtherNodes(Duration gap) {
        this.gap = gap;
    }

    /** A heartbeat, and since when the node is silent. */
    private record Sight(Heartbeat heartbeat, long since) {

        long left(long now) {
            return since + heartbeat.lease().toNanos() - now;
        }
    }

    /** This node has beaten and heard of the others. Returns when the first of their leases runs out; null without others. */
    synchronized @Nullable Duration looked(long now, List<Heartbeat> others) {
        if (!watching(now)) {
            begin();
        }
        long last = lookedAt == null ? now : lookedAt;
        Map<Long, Sight> seen = new HashMap<>();
        for (Heartbeat heartbeat : others) {
            Sight before = sights.get(heartbeat.nodeId());
            boolean silent = before != null && before.heartbeat().beats() == heartbeat.beats();
            seen.put(heartbeat.nodeId(), silent ? before : new Sight(heartbeat, beatenAt(heartbeat, last, now)));
        }
        sights = seen;
        lookedAt = now;
        return seen.values().stream()
                .map(sight -> Duration.ofNanos(sight.left(now)))
                .min(Duration::compareTo)
                .orElse(null);
    }

    /** The heartbeats that have been the last ones for a whole lease. */
    synchronized List<Heartbeat> silent(long now) {
        if (!watching(now)) {
            return List.of();
        }
        return sights.values().stream()
                .filter(sight -> sight.left(now) <= 0)
                .map(Sight::heartbeat)
                .toList();
    }

    /** What was seen until now does not count. */
    synchronized void begin() {
        sights = Map.of();
        lookedAt = null;
    }

    private boolean watching(long now) {
        return lookedAt != null && now - lookedAt <= gap.toNanos();
    }

    /** Within the two looks, whatever the server's clock says. */
    private static long beatenAt(Heartbeat heartbeat, long last, long now) {
        long age = Math.max(0, heartbeat.age().toNanos());
        return now - Math.min(age, now - last);
    }
}
