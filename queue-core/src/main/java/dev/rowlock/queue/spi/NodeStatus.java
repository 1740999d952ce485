package dev.rowlock.queue.spi;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a node is doing.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface NodeStatus {

    State state();

    /** 0 while it has no lease. */
    long nodeId();

    /** Whether the last heartbeat was answered. */
    boolean beats();

    /** Whether outcomes can be written. */
    boolean records();

    /** Whether notifications arrive. */
    boolean hears();

    /** What runs of each of its queues, and may run. */
    List<QueueHandlers> handlers();

    /** Outcomes that are not written yet. */
    int unwritten();

    /** Of those, outcomes that cannot be written although others can. */
    int setAside();

    /** Its threads that cannot go on, or whose work has failed for more than 30 s while the node beats, by name; mostly none. */
    List<String> broken();

    /** What it does again and again. */
    List<ChoreStatus> chores();

    /** How long ago a heartbeat was last answered; null: none has been. */
    @Nullable
    Duration sinceBeat();

    /** What its claims have brought, by queue. */
    List<ClaimCounts> claims();

    /** What the policies have answered that this node has asked, by queue. */
    List<PolicyCounts> policies();

    /** How long it has tried in vain to write outcomes; zero: all that ends is written. Beyond some seconds it claims nothing more. */
    Duration inVain();

    /** How many handlers run now, of all queues. */
    default int active() {
        return handlers().stream().mapToInt(QueueHandlers::active).sum();
    }

    /** How many handlers may run at once, of all queues. */
    default int capacity() {
        return handlers().stream().mapToInt(QueueHandlers::capacity).sum();
    }

    /**
     * The handlers of one queue on this node.
     *
     * @param active how many run now
     * @param capacity how many may run at once
     * @param longest how long that one has been running that began first; zero: none runs
     */
    record QueueHandlers(String queue, int active, int capacity, Duration longest) {}

    /**
     * What the policy of one queue has answered since the node started.
     *
     * @param good answers that counted
     * @param bad answers that did not: it threw, hung or lied
     * @param chosen how many jobs it has let go on
     */
    record PolicyCounts(String queue, long good, long bad, long chosen) {}

    /** Where a node is in its life. */
    enum State {
        STOPPED,
        STARTING,
        RUNNING
    }
}
