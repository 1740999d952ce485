package dev.rowlock.queue.search;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A node that has not left: it runs jobs, or has died so recently that no node has removed it yet.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface NodeSummary {

    long id();

    /** Of the process, for people; several nodes may have the same. */
    String name();

    /** Whose jobs it runs. */
    List<String> queues();

    /** How many jobs it runs at once, by queue; empty for a node of a release that does not say. */
    Map<String, Integer> slots();

    /** When it got its lease, by the database's clock. */
    Instant startedAt();

    /** How long ago its last heartbeat was. */
    Duration sinceHeartbeat();

    /** How long others wait for a heartbeat before they take its jobs. */
    Duration lease();

    /** Whether it has missed all heartbeats of a lease. Other nodes take its jobs then. */
    default boolean expired() {
        return sinceHeartbeat().compareTo(lease()) > 0;
    }
}
