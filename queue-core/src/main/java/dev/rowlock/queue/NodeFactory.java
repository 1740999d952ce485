package dev.rowlock.queue;

import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.dead.DeadFeature;
import dev.rowlock.queue.internal.enqueue.OnceMoreFeature;
import dev.rowlock.queue.internal.gate.LimitFeature;
import dev.rowlock.queue.internal.joblog.JobLogFeature;
import dev.rowlock.queue.internal.node.CallersNode;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.internal.operate.OperateFeature;
import dev.rowlock.queue.internal.policy.PolicyFeature;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.schedule.ScheduleFeature;
import dev.rowlock.queue.internal.schedule.ScheduleRow;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.internal.workflow.WorkflowFeature;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/** Puts the part together that runs jobs, with all features. */
final class NodeFactory {

    private final RowlockSettings settings;
    private final Database database;
    private final WakeupBus wakeups;
    private final Function<RecurringJob, ScheduleRow> scheduleRows;
    private final JobObserver results;

    /** @param results hears of jobs for which somebody waits */
    NodeFactory(
            RowlockSettings settings,
            Database database,
            WakeupBus wakeups,
            Function<RecurringJob, ScheduleRow> scheduleRows,
            JobObserver results) {
        this.settings = settings;
        this.database = database;
        this.wakeups = wakeups;
        this.scheduleRows = scheduleRows;
        this.results = results;
    }

    /**
     * A node that has not started.
     *
     * @param listeners those of the node, asked at each start
     * @param queues whose jobs it runs, each with how many of them at once
     * @param transactions of transactional listeners; null: there are none
     */
    WorkerNode make(
            Collection<QueueLimit> declared,
            Supplier<List<ListenerDefinition>> listeners,
            Map<String, Integer> queues,
            @Nullable TransactionOperations transactions) {
        List<AdmissionPolicy> asked = Rowlock.all(settings.policies);
        requireEffect(asked, declared);
        PolicyFeature policies = new PolicyFeature(asked, queues, settings.policyTimes, database, wakeups);
        LimitFeature limits = new LimitFeature(database, wakeups, declared, queues.keySet(), policies.admissions());
        Hearing hearing = hearing(listeners);
        List<Feature> features = new ArrayList<>(besideJobs(limits, hearing, listeners.get()));
        features.add(new OperateFeature(database, wakeups, settings.retention));
        features.addAll(policies.features());
        return new WorkerNode(nodeSettings(), services(limits, hearing, transactions), features);
    }

    /** A node that runs jobs of these listeners on its caller's thread; the rest as for {@link #make}. */
    CallersNode makeManual(
            Collection<QueueLimit> declared,
            List<ListenerDefinition> listeners,
            Collection<String> queues,
            @Nullable TransactionOperations transactions) {
        LimitFeature limits = new LimitFeature(database, wakeups, declared, queues, Admissions.ALL);
        Hearing hearing = hearing(() -> listeners);
        return new CallersNode(
                nodeSettings(),
                services(limits, hearing, transactions),
                besideJobs(limits, hearing, listeners),
                listeners);
    }

    /** Features that hear of the outcomes of jobs. */
    private record Hearing(WorkflowFeature workflows, DeadFeature dead, JobLogFeature log) {}

    private Hearing hearing(Supplier<List<ListenerDefinition>> listeners) {
        return new Hearing(
                new WorkflowFeature(database, wakeups),
                new DeadFeature(database, wakeups, listeners),
                new JobLogFeature(database));
    }

    private NodeSettings nodeSettings() {
        return new NodeSettings(
                settings.worker,
                settings.lease,
                settings.retention,
                settings.retry,
                settings.maxPayloadBytes,
                settings.notifications);
    }

    private NodeServices services(LimitFeature limits, Hearing hearing, @Nullable TransactionOperations transactions) {
        Extensions extensions = new Extensions(
                observers(hearing),
                Rowlock.all(settings.interceptors),
                Rowlock.all(settings.attemptInterceptors),
                Rowlock.all(settings.redactors),
                limits::slowDown,
                hearing.log()::add);
        return new NodeServices(
                database,
                settings.unpooled != null ? settings.unpooled : database.dataSource(),
                settings.codec,
                extensions,
                wakeups,
                transactions,
                limits);
    }

    /** Nobody asks a policy where keys are in order. */
    private static void requireEffect(Collection<AdmissionPolicy> policies, Collection<QueueLimit> declared) {
        for (QueueLimit limit : declared) {
            if (limit.inOrder() != null
                    && policies.stream().anyMatch(policy -> limit.queue().equals(policy.queue()))) {
                throw new IllegalArgumentException(
                        "queue '%1$s' has a policy and in-order; the policy would have no effect, because the jobs of each key run in order: remove in-order (rowlock.queues.%1$s.in-order, or inOrder of @Limited), or the policy"
                                .formatted(limit.queue()));
            }
        }
    }

    private List<JobObserver> observers(Hearing hearing) {
        List<JobObserver> observers = new ArrayList<>(Rowlock.<JobObserver>all(settings.observers));
        observers.add(results);
        observers.add(hearing.workflows().observer());
        observers.add(hearing.dead().observer());
        observers.add(hearing.log().observer());
        return observers;
    }

    /** The features that make jobs ready or tell of them. */
    private List<Feature> besideJobs(LimitFeature limits, Hearing hearing, List<ListenerDefinition> listeners) {
        List<Feature> features = new ArrayList<>(
                List.of(new OnceMoreFeature(database, wakeups), limits, hearing.workflows(), hearing.log()));
        if (DeadFeature.wanted(listeners)) {
            features.add(hearing.dead());
        }
        if (settings.schedulesRecurring) {
            features.add(new ScheduleFeature(database, wakeups, Rowlock.all(settings.recurring), scheduleRows));
        }
        return features;
    }
}
