package dev.rowlock.queue.settings;

import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;

/**
 * How a node proves that it is alive, and what happens to the jobs of one that is not.
 *
 * @param nodeName for people: shown beside the node's id
 * @param lease how long after its last heartbeat a node counts as dead; 1 s to 1 h
 * @param heartbeat time between heartbeats; at most a third of the lease
 * @param maxCrashes a job whose node died while it ran this many times is quarantined; 1 to 1000
 */
public record LeaseSettings(String nodeName, Duration lease, Duration heartbeat, int maxCrashes) {

    /** A lease of 30 s with a heartbeat each 5 s; three crashes quarantine a job. */
    public static LeaseSettings defaults(String nodeName) {
        return new LeaseSettings(nodeName, Duration.ofSeconds(30), Duration.ofSeconds(5), 3);
    }

    /** The same for a node that is called after its host and process id. */
    public static LeaseSettings defaults() {
        return defaults(NodeName.ofThisProcess());
    }

    public LeaseSettings {
        if (lease.compareTo(Duration.ofSeconds(1)) < 0 || lease.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException(
                    "lease %s must lie between 1 s and 1 h".formatted(DurationText.of(lease)));
        }
        if (heartbeat.compareTo(Duration.ofMillis(50)) < 0
                || heartbeat.multipliedBy(3).compareTo(lease) > 0) {
            throw new IllegalArgumentException(
                    "lease %s must be at least 3 heartbeats of %s (and a heartbeat at least 50 ms), or one that is late looks like a death"
                            .formatted(DurationText.of(lease), DurationText.of(heartbeat)));
        }
        if (maxCrashes < 1 || maxCrashes > 1000) {
            throw new IllegalArgumentException("max-crashes %d must lie between 1 and 1000".formatted(maxCrashes));
        }
    }
}
