package dev.rowlock.queue.search;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A node that has not left: it runs jobs, or has died so recently that no node has removed it yet.
 *
 * @param name of the process, for people; several nodes may have the same
 * @param queues whose jobs it runs
 * @param slots how many jobs it runs at once, by queue; empty for a node of a release that does not say
 * @param startedAt when it got its lease, by the database's clock
 * @param sinceHeartbeat how long ago its last heartbeat was
 * @param lease how long others wait for a heartbeat before they take its jobs
 */
public record NodeSummary(
        long id,
        String name,
        List<String> queues,
        Map<String, Integer> slots,
        Instant startedAt,
        Duration sinceHeartbeat,
        Duration lease) {

    public NodeSummary {
        queues = List.copyOf(queues);
        slots = Map.copyOf(slots);
    }

    /** Whether it has missed all heartbeats of a lease. Other nodes take its jobs then. */
    public boolean expired() {
        return sinceHeartbeat.compareTo(lease) > 0;
    }
}
