package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.gate.AdmitJobs;
import dev.rowlock.queue.internal.store.gate.FindCandidates;
import dev.rowlock.queue.internal.store.gate.TakePolicy;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.spi.Wakeups;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One policy of the application, with a thread of its own: one that hangs holds up no others. */
public final class Policy implements Feature {

    /** @param concurrency of its queue on this node */
    record Settings(String queue, int concurrency, PolicyTimes times) {}

    record Statements(TakePolicy take, FindCandidates find, AdmitJobs admit) {}

    private final Settings settings;
    private final PolicyCall call;
    private final Statements statements;
    private final Wakeups wakeups;

    private Policy(Settings settings, AdmissionPolicy policy, Database database, Wakeups wakeups) {
        this.settings = settings;
        this.call = new PolicyCall(policy, settings.queue(), settings.times().answer());
        this.statements =
                new Statements(new TakePolicy(database), new FindCandidates(database), new AdmitJobs(database));
        this.wakeups = wakeups;
    }

    /**
     * One for each policy.
     *
     * @param queues those that run here, with how many of their jobs run at once
     * @throws IllegalArgumentException if there are two for one queue
     */
    public static List<Policy> all(
            Collection<AdmissionPolicy> policies,
            Map<String, Integer> queues,
            PolicyTimes times,
            Database database,
            Wakeups wakeups) {
        Map<String, AdmissionPolicy> byQueue = new HashMap<>();
        List<Policy> all = new ArrayList<>();
        for (AdmissionPolicy policy : policies) {
            String queue = Names.queue(policy.queue());
            AdmissionPolicy other = byQueue.putIfAbsent(queue, policy);
            if (other != null) {
                throw new IllegalArgumentException(
                        "queue '%s' has two policies, %s and %s: one is allowed".formatted(queue, other, policy));
            }
            Settings settings = new Settings(queue, queues.getOrDefault(queue, 1), times);
            all.add(new Policy(settings, policy, database, wakeups));
        }
        return all;
    }

    @Override
    public String name() {
        return "policy-" + settings.queue();
    }

    @Override
    public void beforeFirstClaim() {
        statements.take().holdBack(settings.queue(), settings.times().hold());
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        return List.of(new PolicyChore(settings, node, call, statements, wakeups));
    }
}
