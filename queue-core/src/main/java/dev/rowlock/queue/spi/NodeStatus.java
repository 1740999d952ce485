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
 * @param active handlers that run now
 * @param capacity handlers that may run at once
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
        int active,
        int capacity,
        int unwritten,
        int setAside,
        List<String> broken,
        List<ChoreStatus> chores,
        @Nullable Duration sinceBeat,
        List<ClaimCounts> claims,
        List<PolicyCounts> policies,
        Duration inVain) {

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
            0,
            0,
            0,
            0,
            List.of(),
            List.of(),
            null,
            List.of(),
            List.of(),
            Duration.ZERO);
}
