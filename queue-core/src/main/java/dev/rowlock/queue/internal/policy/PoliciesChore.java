package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.ClusterStatements;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.policy.PolicyStatements.Gone;
import dev.rowlock.queue.internal.policy.PolicyStatements.Standing;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads on each node which policies decide, and makes jobs ready whose policy has stopped answering. */
final class PoliciesChore implements Chore {

    private static final Logger log = LoggerFactory.getLogger(PoliciesChore.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** Where there are no policies: each node looks, whether or not it will ever meet one. */
    private static final Duration WITHOUT = Duration.ofSeconds(5);

    private static final Duration FORGET = Duration.ofMinutes(1);
    private static final int BATCH = 500;

    private final UnservedPolicies unserved;
    private final PolicyQueues held;
    private final PolicyStatements statements;
    private final Wakeups wakeups;
    private final Set<String> told = new HashSet<>(); // queues that go on without their policy
    private final Map<String, RefusedJobs> refused = new HashMap<>(); // by queue
    private long forgetAt = System.nanoTime() + FORGET.toNanos();

    PoliciesChore(UnservedPolicies unserved, PolicyQueues held, PolicyStatements statements, Wakeups wakeups) {
        this.unserved = unserved;
        this.held = held;
        this.statements = statements;
        this.wakeups = wakeups;
    }

    @Override
    public String name() {
        return "policies";
    }

    @Override
    public Duration runOnce() {
        List<Standing> all = held.look();
        unserved.warnOnce();
        boolean more = false;
        for (Standing standing : all) {
            if (standing.decides()) {
                told.remove(standing.queue());
            } else {
                more |= letGo(standing.queue());
            }
        }
        if (!all.isEmpty() && System.nanoTime() - forgetAt >= 0) {
            forgetAt = System.nanoTime() + FORGET.toNanos();
            statements.forget().forEach(queue -> log.info("queue '{}': no node has its policy any more", queue));
        }
        return more ? Duration.ZERO : all.isEmpty() ? WITHOUT : INTERVAL;
    }

    /** One that the server refuses must not keep the others. Returns whether there may be more. */
    private boolean letGo(String queue) {
        RefusedJobs aside = refused.computeIfAbsent(
                queue, name -> new RefusedJobs("that a policy has not chosen cannot become ready without it"));
        if (aside.isDue()) {
            aside.tryAgain(ids -> tell(queue, statements.letNamedGo(queue, ids)), BATCH);
        }
        try {
            Gone gone = statements.letGo(queue, BATCH, aside.ids());
            tell(queue, gone);
            return gone.seen() >= BATCH;
        } catch (RuntimeException e) {
            return aside.apart(
                    () -> statements.names(queue, BATCH, aside.ids()),
                    ids -> tell(queue, statements.letNamedGo(queue, ids)),
                    e);
        }
    }

    private void tell(String queue, Gone gone) {
        if (gone.jobs() == 0) {
            return;
        }
        if (told.add(queue)) {
            log.warn(
                    "queue '{}': its policy gives no answers, or no node asks it; its jobs run in their normal order",
                    queue);
        }
        new ReadyJobs(queue, gone.rank(), gone.jobs(), gone.keys()).wakeBack(wakeups);
    }

    /** Warns once, when the node starts, of policies of queues that no node serves: the name may be misspelt. */
    static final class UnservedPolicies {

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
}
