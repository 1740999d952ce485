package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.internal.chore.ChoreLoop;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.claim.Admissions;
import dev.rowlock.queue.internal.claim.Fetcher;
import dev.rowlock.queue.internal.claim.Fetchers;
import dev.rowlock.queue.internal.claim.Fetchers.LastClaims;
import dev.rowlock.queue.internal.claim.NodeView;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.janitor.Dispatcher;
import dev.rowlock.queue.internal.lease.BeatNode;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.LongRun;
import dev.rowlock.queue.internal.lease.NodeLease;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.run.Drain;
import dev.rowlock.queue.internal.run.QueueWorker;
import dev.rowlock.queue.internal.text.CountText;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.Failing;
import dev.rowlock.queue.internal.thread.SharedTurns;
import dev.rowlock.queue.internal.thread.Threads;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.internal.wake.NotificationListener;
import dev.rowlock.queue.internal.wake.RemoteWakeups;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.ClaimCounts;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as a node: claims, runs and records the jobs of its listeners' queues, and does its share of the chores.
 * Can be started again after a stop, under a new id. {@link #start} and {@link #stop} are idempotent and thread-safe.
 */
public final class WorkerNode {

    private static final Logger log = LoggerFactory.getLogger(WorkerNode.class);

    /** How long interrupted handlers have to unwind, before their jobs are given back without asking. */
    private static final Duration UNWIND = Duration.ofSeconds(2);

    /** How long the last writes may take at a stop, beside what is left of the drain timeout. */
    private static final Duration LAST_WRITES = Duration.ofSeconds(4);

    /** Of these, what comes behind the outcomes. */
    private static final Duration BEHIND_OUTCOMES = Duration.ofSeconds(2);

    private static final Duration LOOK_FOR_LATE = Duration.ofMillis(200);

    /** However much is changed, the node beats and looks what has changed no oftener than this. */
    private static final Duration ATTENTION = Duration.ofMillis(200);

    /** Of a node that does not run. */
    public static final NodeStatus STOPPED = new Status(
            NodeStatus.State.STOPPED,
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

    private final NodeSettings settings;
    private final NodeServices services;
    private final List<Feature> features;
    private volatile @Nullable Run run; // written under the monitor
    private Set<String> left = Set.of(); // guarded by this

    /** @param features what else nodes do again and again */
    public WorkerNode(NodeSettings settings, NodeServices services, List<Feature> features) {
        this.settings = settings;
        this.services = services;
        this.features = List.copyOf(features);
    }

    /**
     * Starts to work. Returns at once; the node registers as soon as the database answers.
     *
     * @throws IllegalArgumentException if the listeners contradict each other
     */
    public synchronized void start(List<ListenerDefinition> listeners) {
        if (run == null) {
            Run next = new Run(NodeParts.assemble(settings, services, listeners));
            next.left.turnedOff(left);
            try {
                next.start();
            } catch (RuntimeException | Error e) {
                next.stop(); // what has started by then
                throw e;
            }
            run = next;
        }
    }

    /**
     * Stops: claims nothing more, lets handlers finish within the drain timeout, interrupts them, gives back what is
     * left at no cost in attempts. Outcomes that cannot be written are tried again for the rest of the drain timeout. Returns
     * after the drain timeout plus ten seconds at the latest.
     */
    public synchronized void stop() {
        Run last = run;
        if (last != null) {
            last.stop();
            run = null;
        }
    }

    /** Leaves jobs of these types ready from now on, and takes all others. Handlers that run go on. Outlasts a stop. */
    public synchronized void leave(Set<String> types) {
        left = types;
        if (run != null) {
            run.left.turnedOff(types);
        }
    }

    /** How many jobs of this type are in the hands of handlers, or about to be. */
    public long busy(String type) {
        Run now = run;
        return now == null ? 0 : now.parts.busy(type);
    }

    /** How the node is doing now. */
    public NodeStatus status() {
        Run now = run;
        return now == null ? STOPPED : now.status();
    }

    /**
     * For the last line of the log: numbers that are not zero.
     *
     * @param interrupted handlers
     * @param unwritten outcomes: their jobs run again
     */
    static String stopReport(int interrupted, long unwritten) {
        return (unwritten == 0 ? ", everything is written" : "")
                + (interrupted == 0 ? "" : "; " + CountText.of(interrupted, "handler") + " had to be interrupted")
                + (unwritten == 0 ? "" : "; " + CountText.of(unwritten, "outcome") + " could not be written");
    }

    /** From a start to a stop. */
    private final class Run implements NodeLease.Listener, Wakeups, OwnNode, NodeView {

        private final NodeParts parts;
        private final NodeLease lease;
        private final NodeChores chores;
        private final @Nullable NotificationListener notifications;
        private final Fetchers fetchers;
        private final StoppedTypes left;
        private final SharedTurns attention = new SharedTurns(ATTENTION);
        private final EndlessTask recording;
        private final EndlessTask leasing;
        private final Thread recorderThread;
        private final Thread leaseThread;
        private volatile Place place = Place.ALONE; // among all nodes; written by the lease's thread
        private volatile Map<String, Place> places = Map.of(); // by queue; written by the lease's thread
        private volatile boolean stopping;

        Run(NodeParts parts) {
            Database database = services.database();
            this.parts = parts;
            this.lease = new NodeLease(
                    settings.lease(), parts.work(), services.direct(), database, this, services.wakeups());
            this.chores = NodeChores.of(settings, services, features, this, parts.observers());
            this.fetchers = parts.fetchers(this, services.wakeups());
            this.left = new StoppedTypes((types, paused) -> parts.leave(types, paused, fetchers));
            this.notifications = settings.listens()
                    ? new NotificationListener(
                            services.direct(),
                            database.schema(),
                            services.wakeups()
                                    .heardBy(new RemoteWakeupHandler(fetchers, chores.dispatcher(), this::attention)),
                            this::connectedAgain)
                    : null;
            this.recording = new EndlessTask("rowlock-recorder", parts.recorder());
            this.leasing = new EndlessTask("rowlock-lease", lease);
            this.recorderThread = recording.thread();
            this.leaseThread = leasing.thread();
        }

        void start() {
            services.wakeups().subscribe(this);
            parts.observers().start();
            parts.listeners().values().forEach(some -> some.forEach(parts.observers()::listening));
            recorderThread.start();
            leaseThread.start();
            chores.loops().forEach(ChoreLoop::start);
            if (notifications != null) {
                notifications.start();
            }
            for (QueueWorker worker : parts.queues()) {
                worker.start(Threads.handlers(
                        "rowlock-" + worker.queue(), settings.worker().virtualThreads()));
            }
            fetchers.start();
            parts.deadlines().each(LOOK_FOR_LATE, this::giveBackLate);
            log.info("{} runs jobs of {}", product(), parts.summary());
        }

        /** With its version, where the jar's manifest says one. */
        private static String product() {
            String version = WorkerNode.class.getPackage().getImplementationVersion();
            return version == null ? "Rowlock" : "Rowlock " + version;
        }

        /**
         * Stops within the drain timeout and what the last writes take, in these steps. Nothing that owns jobs ends before what writes down what became of
         * them.
         */
        void stop() {
            long begun = System.nanoTime();
            TimeBudget drain = new TimeBudget(settings.worker().drainTimeout());
            LastClaims claims = beginNothing();
            int interrupted = endHandlers(claims);
            TimeBudget writes = new TimeBudget(drain.left().plus(LAST_WRITES));
            writeOutcomes(new TimeBudget(writes.left().minus(BEHIND_OUTCOMES)));
            endLease(writes);
            endTheRest(writes);
            log.info(
                    "stopped after {} ms{}",
                    (System.nanoTime() - begun) / 1_000_000,
                    stopReport(interrupted, parts.recorder().lost()));
        }

        /** No chore, no claim and no job begins any more. */
        private LastClaims beginNothing() {
            stopping = true;
            services.wakeups().unsubscribe(this);
            chores.loops().forEach(ChoreLoop::stop);
            LastClaims claims =
                    fetchers.stop(parts.claim().unanswered(), settings.worker().drainTimeout());
            parts.queues().forEach(QueueWorker::close);
            return claims;
        }

        /** Handlers are asked to stop, waited for, interrupted, and given up; what claims under way bring goes back. Returns how many were interrupted. */
        private int endHandlers(LastClaims claims) {
            int interrupted = Drain.await(parts.queues(), settings.worker().drainTimeout(), UNWIND);
            claims.await();
            Drain.awaitLast(parts.queues());
            parts.queues().forEach(QueueWorker::stop);
            return interrupted;
        }

        private void writeOutcomes(TimeBudget longest) {
            recording.end();
            parts.recorder().stop(longest.left());
            longest.join(recorderThread);
        }

        /** And with it the node's row, so that others rescue what is left. */
        private void endLease(TimeBudget longest) {
            leasing.end();
            lease.stop();
            longest.join(leaseThread);
        }

        /** What only watches. */
        private void endTheRest(TimeBudget longest) {
            chores.loops().forEach(loop -> loop.awaitStop(longest));
            chores.loops().forEach(loop -> loop.last(longest));
            longest.join(fetchers.thread());
            parts.observers().stop(longest);
            if (notifications != null) {
                notifications.close();
            }
            parts.deadlines().close();
        }

        NodeStatus status() {
            return new Status(
                    lease.nodeId() == 0 ? NodeStatus.State.STARTING : NodeStatus.State.RUNNING,
                    lease.nodeId(),
                    !lease.failing(),
                    !parts.recorder().failing(),
                    hearing(),
                    parts.queues().stream().map(QueueWorker::handlers).toList(),
                    parts.recorder().unwritten(),
                    parts.recorder().setAside(),
                    broken(),
                    chores.loops().stream().flatMap(ChoreLoop::statuses).toList(),
                    lease.sinceBeat(),
                    fetchers.counts(),
                    chores.loops().stream().flatMap(ChoreLoop::policies).toList(),
                    parts.recorder().inVain());
        }

        /** The names of the threads that cannot go on, or have not succeeded for long. */
        private List<String> broken() {
            Stream<EndlessTask> threads = Stream.of(
                            Stream.of(recording, leasing),
                            chores.loops().stream().map(ChoreLoop::part),
                            Stream.ofNullable(notifications).map(NotificationListener::part))
                    .flatMap(some -> some);
            return Stream.of(
                            threads.filter(EndlessTask::troubled).map(EndlessTask::name),
                            fetchers.broken(),
                            parts.queues().stream().flatMap(QueueWorker::broken),
                            stuck() ? Stream.of(recording.name()) : Stream.<String>of(),
                            failing())
                    .flatMap(some -> some)
                    .distinct()
                    .sorted()
                    .toList();
        }

        /** While the database does not answer, and for a moment after that, everything fails: the heartbeat tells of it. */
        private Stream<String> failing() {
            return lease.answeredFor(Failing.LASTING)
                    ? Stream.concat(
                            fetchers.failing(),
                            chores.loops().stream()
                                    .filter(ChoreLoop::failing)
                                    .map(loop -> loop.part().name()))
                    : Stream.empty();
        }

        private boolean stuck() {
            return parts.recorder().stuck(System.nanoTime());
        }

        private void giveBackLate() {
            try {
                fetchers.each(Fetcher::giveBackLate);
            } catch (RuntimeException | Error e) {
                log.error("checking for late jobs failed; will retry", e);
            }
        }

        @Override
        public @Nullable String unable() {
            boolean stuck = stuck();
            return stuck || recording.troubled()
                    ? "outcomes are not written any more: '%s' %s"
                            .formatted(
                                    recording.name(),
                                    stuck
                                            ? "is stuck, in the driver or waiting for a connection of the pool"
                                            : "cannot go on")
                    : null;
        }

        @Override
        public boolean hearing() {
            return notifications != null && notifications.hearing();
        }

        @Override
        public Place place() {
            return place;
        }

        @Override
        public Place place(String queue) {
            return places.getOrDefault(queue, Place.ALONE);
        }

        @Override
        public void claimFailed() {
            chores.unacknowledgedClaims().claimFailed();
        }

        private void connectedAgain() {
            fetchers.wake();
            chores.dispatcher().waitingHere(Duration.ZERO);
            Duration pause = attention.ask();
            lease.attention(pause);
            chores.loops().forEach(loop -> loop.connected(pause));
        }

        @Override
        public long nodeId() {
            return lease.nodeId();
        }

        @Override
        public List<BeatNode.Heartbeat> silentNodes() {
            return lease.silentNodes();
        }

        @Override
        public @Nullable Duration nextExpiry() {
            return lease.nextExpiry();
        }

        @Override
        public List<OverdueClaim> overdue(Duration grace) {
            return parts.overdue(grace);
        }

        @Override
        public List<LongRun> longRuns(Duration atLeast) {
            return parts.longRuns(atLeast);
        }

        @Override
        public long[] heldTokens() {
            return parts.heldTokens();
        }

        @Override
        public void lost() {
            parts.queues().forEach(QueueWorker::abandon);
        }

        @Override
        public void heard(BeatNode.Answer answer, @Nullable Duration nextExpiry) {
            parts.deadlines().keepAlive();
            place = answer.place();
            places = answer.places();
            fetchers.each(fetcher -> fetcher.pause(answer.paused().queue(fetcher.queue())));
            left.paused(answer.paused().types());
            for (Claim claim : answer.cancelled()) {
                parts.queues().forEach(queue -> queue.held().cancel(claim.token()));
            }
            if (nextExpiry != null) {
                chores.rescue().leaseEnds(nextExpiry);
            }
        }

        @Override
        public Admissions admissions() {
            return services.admissions();
        }

        @Override
        public void mayClaim(long nodeId) {
            if (!stopping) {
                fetchers.registered(nodeId);
            }
        }

        @Override
        public void jobsReady(String queue, int rank, long jobs) {
            fetchers.of(queue, fetcher -> fetcher.jobsReady(rank));
        }

        @Override
        public void jobsBack(String queue, int rank, long jobs) {
            fetchers.of(queue, Fetcher::jobsBack);
            jobsReady(queue, rank, jobs);
        }

        @Override
        public void jobsWaiting(Duration dueIn) {
            chores.dispatcher().waitingHere(dueIn);
        }

        @Override
        public void keysReady(String queue, @Nullable String key) {
            fetchers.of(queue, fetcher -> fetcher.keysReady(key));
        }

        @Override
        public void attention() {
            Duration pause = attention.ask();
            lease.attention(pause);
            chores.loops().forEach(loop -> loop.changed(pause));
        }
    }

    /** The types whose jobs this node does not claim: their listeners are stopped here, or the type is paused. Thread-safe. */
    private static final class StoppedTypes {

        private final BiConsumer<Set<String>, Set<String>> leave;
        private Set<String> off = Set.of(); // guarded by this, as below
        private Set<String> paused = Set.of();
        private Set<String> left = Set.of(); // what was told, as below
        private Set<String> told = Set.of();

        /** @param leave told whenever they change: all of them, and those that are paused */
        StoppedTypes(BiConsumer<Set<String>, Set<String>> leave) {
            this.leave = leave;
        }

        /** The types whose listeners are stopped in this process. */
        synchronized void turnedOff(Set<String> types) {
            off = types;
            tell();
        }

        /** The types that are paused on all nodes. */
        synchronized void paused(Set<String> types) {
            paused = types;
            tell();
        }

        private void tell() {
            Set<String> all = Stream.concat(off.stream(), paused.stream()).collect(Collectors.toUnmodifiableSet());
            if (!all.equals(left) || !paused.equals(told)) {
                left = all;
                told = paused;
                leave.accept(all, paused);
            }
        }
    }

    /**
     * Passes wake-ups from other processes to the fetchers and the dispatcher of this node.
     *
     * @param changed called when an operator has changed something
     */
    private record RemoteWakeupHandler(Fetchers fetchers, Dispatcher dispatcher, Runnable changed)
            implements RemoteWakeups {

        @Override
        public void jobsReady(String queue, int rank, long jobs, int first) {
            fetchers.of(queue, fetcher -> fetcher.jobsHeard(rank, jobs, first));
        }

        @Override
        public void jobsBack(String queue) {
            fetchers.of(queue, Fetcher::jobsBack);
        }

        @Override
        public void jobsWaiting(Duration dueIn) {
            dispatcher.waitingElsewhere(dueIn);
        }

        @Override
        public void dueJobsMoved(@Nullable Duration nextDue) {
            dispatcher.movedElsewhere(nextDue);
        }

        @Override
        public void allHaveHeardOf(long look) {
            dispatcher.allHaveHeardOf(look);
        }

        @Override
        public void keysReady(String queue, @Nullable String key, int first) {
            fetchers.of(queue, fetcher -> fetcher.keysHeard(key, first));
        }

        @Override
        public void attention() {
            changed.run();
        }
    }

    /** How a node is doing. */
    public record Status(
            NodeStatus.State state,
            long nodeId,
            boolean beats,
            boolean records,
            boolean hears,
            List<NodeStatus.QueueHandlers> handlers,
            int unwritten,
            int setAside,
            List<String> broken,
            List<ChoreStatus> chores,
            @Nullable Duration sinceBeat,
            List<ClaimCounts> claims,
            List<NodeStatus.PolicyCounts> policies,
            Duration inVain)
            implements NodeStatus {}
}
