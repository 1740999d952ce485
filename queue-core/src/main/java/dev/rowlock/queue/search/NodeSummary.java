package dev.rowlock.queue.search;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A node that has not left: it runs jobs, or has died so recently that nobody has removed it yet.
 *
 * @param name of the process, for people; several nodes may have the same
 * @param queues whose jobs it runs
 * @param startedAt when it got its lease, by the database's clock
 * @param sinceHeartbeat how long ago its last heartbeat was
 * @param lease how long others wait for a heartbeat before they take its jobs
 */
public record NodeSummary(
        long id, String name, List<String> queues, Instant startedAt, Duration sinceHeartbeat, Duration lease) {

    /** Whether it has missed all heartbeats of a lease. Other nodes take its jobs then. */
    public boolean expired() {
        return sinceHeartbeat.compareTo(lease) > 0;
    }
}
