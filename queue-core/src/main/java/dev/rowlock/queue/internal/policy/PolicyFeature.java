package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.spi.Wakeups;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Chores for policies on each node, also for policies that only other nodes have. */
public final class PolicyFeature implements Feature {

    private final PolicyStatements statements;
    private final Wakeups wakeups;
    private final PolicyQueues held;
    private final List<Feature> asking;

    /**
     * @param policies of the application
     * @param queues those that run here, with how many of their jobs run at once
     * @throws IllegalArgumentException if there are two for one queue
     */
    public PolicyFeature(
            Collection<AdmissionPolicy> policies,
            Map<String, Integer> queues,
            PolicyTimes times,
            Database database,
            Wakeups wakeups) {
        this.statements = new PolicyStatements(database);
        this.wakeups = wakeups;
        Map<String, AdmissionPolicy> byQueue = byQueue(policies);
        this.held = new PolicyQueues(byQueue.keySet(), times.hold(), statements);
        this.asking = byQueue.entrySet().stream()
                .<Feature>map(entry -> {
                    PolicyCall call = new PolicyCall(entry.getValue(), entry.getKey(), times.answer());
                    return new Asking(call, new PolicyChore.Settings(queues.getOrDefault(entry.getKey(), 1), times));
                })
                .toList();
    }

    private static Map<String, AdmissionPolicy> byQueue(Collection<AdmissionPolicy> policies) {
        Map<String, AdmissionPolicy> byQueue = new TreeMap<>();
        for (AdmissionPolicy policy : policies) {
            String queue = Names.queue(policy.queue());
            AdmissionPolicy other = byQueue.putIfAbsent(queue, policy);
            if (other != null) {
                throw new IllegalArgumentException(
                        "queue '%s' has two policies, %s and %s: one is allowed".formatted(queue, other, policy));
            }
        }
        return byQueue;
    }

    /** Holds jobs of queues whose policies decide, when claims ask. */
    public Admissions admissions() {
        return held;
    }

    /** This feature, and one for each policy, each with a thread of its own: a policy that hangs holds up no others. */
    public List<Feature> features() {
        List<Feature> all = new ArrayList<>(asking);
        all.add(this);
        return all;
    }

    @Override
    public String name() {
        return "policies";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        held.forget();
        return List.of(new PoliciesChore(held, statements, wakeups));
    }

    private final class Asking implements Feature {

        private final PolicyCall call;
        private final PolicyChore.Settings settings;

        Asking(PolicyCall call, PolicyChore.Settings settings) {
            this.call = call;
            this.settings = settings;
        }

        @Override
        public String name() {
            return "policy-" + call.queue();
        }

        @Override
        public List<Chore> chores(OwnNode node) {
            return List.of(new PolicyChore(call, settings, node, statements, held, wakeups));
        }
    }
}
