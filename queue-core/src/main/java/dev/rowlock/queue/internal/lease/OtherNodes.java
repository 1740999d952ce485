package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watches the other nodes' heartbeats. A node is dead if its heartbeat has stood still for its whole lease while this node
 * watched. Times are monotonic, in nanoseconds: the server's clock, which may be set at any moment, only says more exactly when
 * between two looks a node has beaten. Thread-safe.
 *
 * <p>Each look must follow the last one within a gap, otherwise the watch begins anew: after a database outage nobody looks
 * alive, and nobody may be declared dead before everybody had the chance to beat. The gap is a share of the watched node's
 * lease, whatever this node's settings are. A third of it forgives this node short pauses, however often it beats. More than half
 * of it would leave a node that beats as seldom as it may (three times in its lease) no time to come back from an outage.
 */
final class OtherNodes {

    /** However seldom this node need beat, another one with a short lease may come at any time. */
    private static final Duration LONGEST_UNTIL_LOOK = Duration.ofSeconds(10);

    private final Duration heartbeat;
    private Map<Long, Sight> sights = Map.of(); // guarded by this; by node
    private @Nullable Long lookedAt; // guarded by this; null: not yet

    /** @param heartbeat how often this node looks by itself; it looks at least each ten seconds */
    OtherNodes(Duration heartbeat) {
        this.heartbeat = heartbeat.compareTo(LONGEST_UNTIL_LOOK) < 0 ? heartbeat : LONGEST_UNTIL_LOOK;
    }

    /** A heartbeat, and since when the node is silent. */
    private record Sight(Heartbeat heartbeat, long since) {

        long left(long now) {
            return since + heartbeat.lease().toNanos() - now;
        }
    }

    /** This node has beaten and heard of the others. Returns when the first of their leases runs out; null without others. */
    synchronized @Nullable Duration looked(long now, List<Heartbeat> others) {
        Map<Long, Sight> seen = new HashMap<>();
        for (Heartbeat other : others) {
            Sight before = sights.get(other.nodeId());
            boolean silent = before != null && before.heartbeat().beats() == other.beats();
            seen.put(other.nodeId(), silent && watching(other, now) ? before : new Sight(other, beatenAt(other, now)));
        }
        sights = seen;
        lookedAt = now;
        return nextExpiry(now);
    }

    /** When the first of their leases runs out unless it is renewed; null without others. */
    synchronized @Nullable Duration nextExpiry(long now) {
        return sights.values().stream()
                .map(sight -> Duration.ofNanos(sight.left(now)))
                .min(Duration::compareTo)
                .orElse(null);
    }

    /** How long after one look the next one is due: some of the others may have shorter leases than this node. */
    synchronized Duration untilNextLook() {
        return sights.values().stream()
                .map(sight -> sight.heartbeat().lease().dividedBy(3))
                .filter(third -> third.compareTo(heartbeat) < 0)
                .min(Duration::compareTo)
                .orElse(heartbeat);
    }

    /** The heartbeats that have been the last ones for a whole lease. */
    synchronized List<Heartbeat> silent(long now) {
        return sights.values().stream()
                .filter(sight -> sight.left(now) <= 0 && watching(sight.heartbeat(), now))
                .map(Sight::heartbeat)
                .toList();
    }

    /** What was seen until now does not count. */
    synchronized void begin() {
        sights = Map.of();
        lookedAt = null;
    }

    private boolean watching(Heartbeat other, long now) {
        return lookedAt != null && now - lookedAt <= gap(other.lease()).toNanos();
    }

    private Duration gap(Duration lease) {
        Duration third = lease.dividedBy(3);
        Duration half = lease.dividedBy(2);
        Duration twoLooks = heartbeat.multipliedBy(2);
        Duration enough = twoLooks.compareTo(third) > 0 ? twoLooks : third;
        return enough.compareTo(half) < 0 ? enough : half;
    }

    /** Within the two looks, whatever the server's clock says. */
    private long beatenAt(Heartbeat other, long now) {
        long sinceLastLook = lookedAt != null && watching(other, now) ? now - lookedAt : 0;
        long age = Math.max(0, other.age().toNanos());
        return now - Math.min(age, sinceLastLook);
    }
}
