package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.SharedChore;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.KeyedBatch;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.janitor.AdvanceTimes;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.lease.BeatNode;
import dev.rowlock.queue.internal.lease.BeatNode.Paused;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.NodeRow;
import dev.rowlock.queue.internal.record.Observers;
import dev.rowlock.queue.internal.record.Observers.RecordedOutcomes;
import dev.rowlock.queue.internal.record.OutcomeWriter;
import dev.rowlock.queue.internal.run.Deadlines;
import dev.rowlock.queue.internal.run.Execution;
import dev.rowlock.queue.internal.run.HandlerInvoker;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ManualNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A node without threads of its own: claims, runs and records one job after the other on its caller's thread. */
public final class CallersNode implements ManualNode {

    private static final int BATCH = 1_000;

    /** A chore that is never done must not keep the caller. */
    private static final int MOST_ROUNDS = 1_000;

    private final Database database;
    private final NodeSettings settings;
    private final Map<String, List<ListenerDefinition>> listeners;
    private final BeatNode beat;
    private final NodeRow row;
    private final ClaimReadyJobs plain;
    private final ClaimKeyedJobs keyed;
    private final DispatchDueJobs dispatch;
    private final Deadlines deadlines = new Deadlines("rowlock-manual");
    private final HandlerInvoker invoker;
    private final OutcomeWriter outcomes;
    private final Observers observers;
    private final List<Due> chores;
    private Paused paused = new Paused(Set.of(), Set.of(), false);
    private long nodeId; // 0: not registered
    private boolean changed; // since the chores were done: there may be more to do for them

    /**
     * @param services with a database that {@linkplain Database#nesting() nests}
     * @param features whose chores are done when no job is ready
     */
    public CallersNode(
            NodeSettings settings, NodeServices services, List<Feature> features, List<ListenerDefinition> listeners) {
        this.database = services.database();
        this.settings = settings;
        this.listeners = listeners.stream()
                .collect(Collectors.groupingBy(ListenerDefinition::queue, TreeMap::new, Collectors.toList()));
        this.beat = new BeatNode(database.schema());
        this.row = new NodeRow(database.schema());
        this.plain = new ClaimReadyJobs(database);
        this.keyed = new ClaimKeyedJobs(database, Duration.ZERO);
        this.dispatch = new DispatchDueJobs(database);
        this.invoker = new HandlerInvoker(
                listeners,
                NodeParts.handlerServices(settings, services, deadlines, Duration.ZERO),
                services.extensions(),
                services.transactions());
        this.outcomes = new OutcomeWriter(database, settings.retention().keepsDone(), services.wakeups());
        this.observers = new Observers(
                services.extensions().observers().stream().map(AtOnce::of).toList());
        Self self = new Self();
        // What one node does for all would wait for whoever does it in another transaction.
        this.chores = features.stream()
                .flatMap(feature -> feature.chores(self).stream()
                        .filter(chore -> !(chore instanceof SharedChore))
                        .map(Due::new))
                .toList();
    }

    @Override
    public Optional<Attempt> runNext() {
        register();
        long begun = System.nanoTime();
        Optional<ClaimedJob> next = claim();
        if (next.isEmpty() && changed) {
            doChores();
            next = claim();
        }
        Optional<Attempt> attempt = next.map(job -> run(job, begun));
        database.restoreSettings();
        return attempt;
    }

    private void register() {
        if (nodeId == 0) {
            nodeId = database.alone(connection -> row.register(
                    connection,
                    settings.lease().nodeName(),
                    new NodeRow.Work(Map.of(), null),
                    settings.lease().lease()));
            doChores();
        }
    }

    /** What nodes do beside running jobs, as far as jobs become ready by it. */
    private void doChores() {
        paused = database.alone(connection -> beat.run(connection, nodeId)).paused();
        chores.forEach(Due::run);
        int due;
        do {
            due = dispatch.run(BATCH).jobs();
        } while (due == BATCH);
        changed = false;
    }

    private Optional<ClaimedJob> claim() {
        return listeners.entrySet().stream()
                .filter(queue -> !paused.queue(queue.getKey()))
                .flatMap(queue -> claim(queue.getKey(), NodeParts.timeouts(queue.getValue())).stream())
                .findFirst();
    }

    private Optional<ClaimedJob> claim(String queue, @Nullable String timeouts) {
        List<String> left = List.copyOf(paused.types());
        List<ClaimedJob> jobs = plain.run(queue, QueueRange.ALL.withoutTypes(left), 1, nodeId, timeouts)
                .jobs();
        return jobs.isEmpty()
                ? claimKeyed(queue, new Which(left, List.of(), null), timeouts)
                : Optional.of(jobs.get(0));
    }

    private Optional<ClaimedJob> claimKeyed(String queue, Which which, @Nullable String timeouts) {
        for (Look look = Look.FIRST; look != null; ) {
            KeyedBatch batch = keyed.run(queue, look, 1, ClaimReadyJobs.LARGEST_PAYLOAD, which, nodeId, timeouts);
            if (batch.stop() == KeyedBatch.Stop.OUT_OF_TURN) {
                throw new IllegalStateException(
                        "queue '%s': another open transaction claims its jobs, so none can be claimed here; do tests share a database?"
                                .formatted(queue));
            }
            if (!batch.toCancel().isEmpty()) {
                keyed.cancelRest().run(queue, batch.toCancel());
            }
            if (!batch.batch().jobs().isEmpty()) {
                return Optional.of(batch.batch().jobs().get(0));
            }
            look = batch.stop() == KeyedBatch.Stop.NONE ? batch.next() : null; // full: until something else changes
        }
        return Optional.empty();
    }

    private Attempt run(ClaimedJob job, long claimedNanos) {
        changed = true;
        Execution execution = new Execution(job, held -> true, claimedNanos);
        boolean known = invoker.knows(job);
        long begun = System.nanoTime();
        if (known) {
            observers.started(job, job.waited());
        }
        Outcome outcome = database.attempt(() -> invoker.run(execution), CallersNode::endsWell);
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        Outcome recorded = outcomes.writeNow(execution, outcome);
        observers.finished(job, recorded, took);
        return new Attempt(job, recorded);
    }

    private static boolean endsWell(Outcome outcome) {
        return outcome instanceof Outcome.Completed || outcome instanceof Outcome.AlreadyCompleted;
    }

    @Override
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("the time %s is negative: it only goes on".formatted(time));
        }
        register(); // declared recurring jobs are there by then
        new AdvanceTimes(database).run(time);
        changed = true;
    }

    @Override
    public void close() {
        deadlines.close();
        if (nodeId != 0) {
            database.alone(connection -> {
                row.remove(connection, nodeId);
                return nodeId;
            });
            nodeId = 0;
            database.restoreSettings();
        }
    }

    /** A chore, which is due at first, when somebody may have changed something, and when it says so. */
    private static final class Due {

        private final Chore chore;
        private boolean due = true;

        Due(Chore chore) {
            this.chore = chore;
            chore.triggeredBy(time -> due = true);
        }

        void run() {
            if (chore.dueAfterChange()) {
                due = true;
                chore.changed();
            }
            for (int round = 1; due; round++) {
                due = false;
                boolean again = chore.runOnce().isZero(); // a trigger during it counts as well
                due |= again;
                if (round == MOST_ROUNDS) {
                    throw new IllegalStateException(
                            "chore '%s' is not done after %d rounds".formatted(chore.name(), MOST_ROUNDS));
                }
            }
        }
    }

    /** As chores see it: alone. */
    private final class Self implements OwnNode {

        @Override
        public long nodeId() {
            return nodeId;
        }

        @Override
        public Place place() {
            return Place.ALONE;
        }

        @Override
        public boolean hearing() {
            return true;
        }
    }

    /** An observer that is told on the caller's thread. */
    private record AtOnce(JobObserver observer) implements JobObserver {

        static JobObserver of(JobObserver observer) {
            return observer.immediate() || observer instanceof RecordedOutcomes ? observer : new AtOnce(observer);
        }

        @Override
        public boolean immediate() {
            return true;
        }

        @Override
        public void started(ClaimedJob job, Duration waited) {
            observer.started(job.withoutPayload(), waited);
        }

        @Override
        public void finished(ClaimedJob job, Outcome outcome, Duration took) {
            observer.finished(job.withoutPayload(), outcome, took);
        }

        @Override
        public void lost(ClaimedJob job) {
            observer.lost(job.withoutPayload());
        }
    }
}
