package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.internal.db.ClusterStatements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns once, when the node starts, of policies of queues that no node serves: the name may be misspelt. */
final class UnservedPolicies {

    private static final Logger log = LoggerFactory.getLogger(UnservedPolicies.class);

    private final ClusterStatements nodes;
    private final Collection<String> policies;
    private final Set<String> own;
    private boolean looked;

    /**
     * @param policies the queues that have one here
     * @param own the queues whose jobs run here
     */
    UnservedPolicies(ClusterStatements nodes, Collection<String> policies, Set<String> own) {
        this.nodes = nodes;
        this.policies = policies;
        this.own = own;
    }

    void warnOnce() {
        if (looked) {
            return;
        }
        if (!own.containsAll(policies)) {
            Set<String> served = new TreeSet<>(own);
            nodes.nodes(UnservedPolicies::served).forEach(served::addAll);
            policies.stream()
                    .filter(queue -> !served.contains(queue))
                    .forEach(queue -> log.warn(
                            "queue '{}' has a policy, and no node serves that queue now; nodes serve {}. If its name is misspelt, correct queue() of the policy",
                            queue,
                            served));
        }
        looked = true;
    }

    /** The queues of a node that lives. */
    private static List<String> served(ResultSet node) throws SQLException {
        boolean lives = node.getDouble("silent_seconds") * 1_000 < node.getLong("lease_millis");
        return lives ? List.of((String[]) node.getArray("queues").getArray()) : List.of();
    }
}
