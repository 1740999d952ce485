package dev.rowlock.queue.spi;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a node is doing.
 *
 * @param nodeId 0 while it has no lease
 * @param beats whether the last heartbeat was answered
 * @param records whether outcomes can be written
 * @param hears whether notifications arrive
 * @param handlers what runs of each of its queues, and may run
 * @param unwritten outcomes that are not written yet
 * @param setAside of those, outcomes that cannot be written although others can
 * @param broken its threads that cannot go on, or whose work has failed for more than 30 s while the node beats, by name; mostly none
 * @param chores what it does again and again
 * @param sinceBeat how long ago a heartbeat was last answered; null: none has been
 * @param claims what its claims have brought, by queue
 * @param policies what the policies have answered that this node has asked, by queue
 * @param inVain how long it has tried in vain to write outcomes; zero: all that ends is written. Beyond some seconds it claims nothing more
 */
public record NodeStatus(
        State state,
        long nodeId,
        boolean beats,
        boolean records,
        boolean hears,
        List<QueueHandlers> handlers,
        int unwritten,
        int setAside,
        List<String> broken,
        List<ChoreStatus> chores,
        @Nullable Duration sinceBeat,
        List<ClaimCounts> claims,
        List<PolicyCounts> policies,
        Duration inVain) {

    /** How many handlers run now, of all queues. */
    public int active() {
        return handlers.stream().mapToInt(QueueHandlers::active).sum();
    }

    /** How many handlers may run at once, of all queues. */
    public int capacity() {
        return handlers.stream().mapToInt(QueueHandlers::capacity).sum();
    }

    /**
     * The handlers of one queue on this node.
     *
     * @param active how many run now
     * @param capacity how many may run at once
     * @param longest how long that one has been running that began first; zero: none runs
     */
    public record QueueHandlers(String queue, int active, int capacity, Duration longest) {}

    /**
     * What the policy of one queue has answered since the node started.
     *
     * @param good answers that counted
     * @param bad answers that did not: it threw, hung or lied
     * @param chosen how many jobs it has let go on
     */
    public record PolicyCounts(String queue, long good, long bad, long chosen) {}

    /** Where a node is in its life. */
    public enum State {
        STOPPED,
        STARTING,
        RUNNING
    }

    /** Of a node that does not run. */
    public static final NodeStatus STOPPED = new NodeStatus(
            State.STOPPED,
            0,
            false,
            false,
            false,
            List.of(),
            0,
            0,
            List.of(),
            List.of(),
            null,
            List.of(),
            List.of(),
            Duration.ZERO);
}
