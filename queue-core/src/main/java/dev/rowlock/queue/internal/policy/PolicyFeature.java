package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.policy.PolicyStatements.Gone;
import dev.rowlock.queue.internal.policy.PolicyStatements.Standing;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chores for policies on each node, also for policies that only other nodes have. */
public final class PolicyFeature implements Feature {

    private static final Logger log = LoggerFactory.getLogger(PolicyFeature.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    /** Where there are no policies: each node looks, whether or not it will ever meet one. */
    private static final Duration WITHOUT = Duration.ofSeconds(5);

    private static final Duration FORGET = Duration.ofMinutes(1);
    private static final int BATCH = 500;

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
        return List.of(new PoliciesChore());
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

    /** Reads on each node which policies decide, and makes jobs ready whose policy has stopped answering. */
    private final class PoliciesChore implements Chore {

        private final Set<String> told = new HashSet<>(); // queues that go on without their policy
        private final Map<String, RefusedJobs> refused = new HashMap<>(); // by queue
        private long forgetAt = System.nanoTime() + FORGET.toNanos();

        @Override
        public String name() {
            return "policies";
        }

        @Override
        public Duration runOnce() {
            List<Standing> all = held.look();
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
    }
}
