package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.claim.ClaimBudget;
import dev.rowlock.queue.internal.claim.Kind;
import dev.rowlock.queue.internal.claim.QueueConsumer;
import dev.rowlock.queue.internal.record.Observers;
import dev.rowlock.queue.internal.record.Recorder;
import dev.rowlock.queue.internal.run.Buffer.Share;
import dev.rowlock.queue.internal.run.HandlerThreads.HandlerThread;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.NodeStatus.QueueHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One queue on this node: the claimed jobs that it holds, and the threads that run them.
 *
 * <p>A job is held from its claim until its outcome is recorded. The claimer asks for no more than {@link PrefetchLimit} allows,
 * which bounds the buffer; outcomes on their way to the database make room for the next claim, up to what the recorder
 * bears.
 */
public final class QueueWorker implements QueueConsumer, Execution.Holder {

    private static final Logger log = LoggerFactory.getLogger(QueueWorker.class);

    /** Longer than a job of an unknown type is put aside at most. */
    private static final Duration UNKNOWN_TYPE_MEMORY = Duration.ofMinutes(3);

    private final String queue;
    private final int concurrency;
    private final Shared node;
    private final PrefetchLimit prefetch;
    private final Buffer buffer; // of those held, they wait for a thread
    private final HandlerThreads threads;
    private final JobRuns runs;

    private final HeldExecutions held;
    private final RunningHandlers handlers;
    private final DemandSignal demanded = new DemandSignal();
    private volatile Consumer<@Nullable String> gateHasRoom = key -> {};
    private volatile Predicate<ClaimedJob> counts = ClaimedJob::counted;
    private volatile long unknownTypeAt; // monotonic; 0: never

    /** What the queues of a node share. */
    public record Shared(
            HandlerInvoker invoker, Recorder recorder, Suspects suspects, Observers observers, ClaimBudget budget) {}

    /** @param listeners of this queue, at least one */
    public QueueWorker(
            String queue, int concurrency, FetchSettings settings, Shared node, List<ListenerDefinition> listeners) {
        this.queue = queue;
        this.concurrency = concurrency;
        this.node = node;
        this.handlers = new RunningHandlers(concurrency, Gathering.idle(queue, concurrency, listeners));
        this.prefetch = new PrefetchLimit(settings, handlers);
        this.buffer = new Buffer(concurrency, settings);
        this.threads = new HandlerThreads(queue, concurrency, buffer, this::work, HandlerThreads.KEPT);
        this.held = new HeldExecutions(node.budget(), concurrency);
        this.runs = new JobRuns(this, node, handlers, prefetch, Buffer.longestWait(settings), listeners);
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public int concurrency() {
        return concurrency;
    }

    @Override
    public Signal wakeSignal() {
        return demanded.signal;
    }

    /**
     * Who is told that a job has ended which counted against a limit.
     *
     * @param told gets the job's key; null: it has none, or places of any keys may be free
     * @param counts whether a job does: one that was claimed before there was a limit is counted later
     */
    public void whenGateHasRoom(Consumer<@Nullable String> told, Predicate<ClaimedJob> counts) {
        gateHasRoom = told;
        this.counts = counts;
    }

    /** The claimed jobs that it holds. */
    public HeldExecutions held() {
        return held;
    }

    /** How many of its handlers run, and for how long. */
    public QueueHandlers handlers() {
        return new QueueHandlers(queue, held.active(), concurrency, handlers.longest(System.nanoTime()));
    }

    /** From now on the jobs that it holds are run. */
    public void start(ThreadFactory factory) {
        threads.start(factory);
    }

    /** Its threads that cannot go on, by name. */
    public Stream<String> broken() {
        return threads.broken();
    }

    @Override
    public void contended(boolean both) {
        held.contended(both);
        if (buffer.contended(both)) {
            moreRoom();
        }
    }

    @Override
    public Kind behind() {
        return buffer.behind();
    }

    @Override
    public Kind behindInPlaces() {
        return held.behind();
    }

    @Override
    public int demand(Kind kind, Duration horizon) {
        return demand(kind, horizon, System.nanoTime());
    }

    public int demand(Kind kind, Duration horizon, long now) {
        if (node.recorder().behind(now)) {
            return 0;
        }
        Share share = buffer.share(kind);
        return prefetch.free(kind, horizon, held.unsettled() - share.waiting() - share.others(), share);
    }

    @Override
    public boolean idle() {
        return held.unsettled() < concurrency && !node.recorder().behind(System.nanoTime());
    }

    @Override
    public ClaimBudget budget() {
        return node.budget();
    }

    @Override
    public boolean metUnknownType() {
        return unknownTypeAt != 0 && System.nanoTime() - unknownTypeAt < UNKNOWN_TYPE_MEMORY.toNanos();
    }

    @Override
    public void signalDemand(Kind kind, Duration horizon) {
        Share share = buffer.share(kind);
        if (share.whole()) {
            demanded.mostHeld.set(kind.ordinal(), prefetch.lowWater(kind, horizon, share));
            signalIfRoom();
        } else {
            demanded.mostWaiting.set(kind.ordinal(), Math.max(0, prefetch.lowWaiting(kind, horizon, share)));
            if (demand(kind, horizon) > 0) {
                demanded.raise(); // since it was told that there is none
            }
        }
    }

    /** Threads take more jobs than they did: the claimer may know of no demand. */
    void moreRoom() {
        if (demanded.awaited()) {
            demanded.raise();
        }
    }

    private void signalIfRoom() {
        if (demanded.reached() && !node.recorder().behind(System.nanoTime())) {
            demanded.raise();
        }
    }

    @Override
    public void accept(List<ClaimedJob> jobs, long claimedNanos) {
        for (ClaimedJob job : jobs) {
            offer(hold(job, claimedNanos));
        }
        runs.arrived();
    }

    @Override
    public void refuse(List<ClaimedJob> jobs, long claimedNanos) {
        giveBack(jobs.stream().map(job -> hold(job, claimedNanos)).toList());
    }

    @Override
    public void gateHasRoom() {
        gateHasRoom.accept(null);
    }

    private Execution hold(ClaimedJob job, long claimedNanos) {
        Execution execution = new Execution(job, this, claimedNanos);
        held.add(execution);
        return execution;
    }

    /** Puts back a job that is held, for a thread to pick up. */
    void offer(Execution execution) {
        buffer.add(execution);
        threads.ensure();
    }

    /** Takes jobs out that wait for a thread, to run them with others. */
    List<Execution> take(Predicate<Execution> wanted, int most) {
        return buffer.take(wanted, most);
    }

    /** A job of a type that no listener of this node knows. */
    void metUnknownType(long at) {
        unknownTypeAt = at;
    }

    private void work(HandlerThread thread) {
        while (!threads.stopping()) {
            try {
                node.recorder().awaitRoomForResults();
                Execution next = thread.take();
                if (next == null) {
                    return;
                }
                runs.run(thread.number(), next);
            } catch (InterruptedException e) {
                Thread.interrupted(); // a late interrupt of an earlier job, or the stop: the loop's condition decides
            } catch (RuntimeException | Error e) {
                log.error("queue '{}': internal error in a handler thread; the thread goes on", queue, e);
            }
        }
    }

    /**
     * Hands the outcome to the recorder, unless somebody else has settled this execution. Where the claim is believed to
     * be lost, the outcome is dropped, and the job given back in case that belief is wrong.
     */
    void settle(Execution execution, Outcome outcome, Duration took) {
        if (firstToSettle(execution)) {
            boolean lost =
                    execution.stopped() == Execution.Stop.CLAIM_LOST && !(outcome instanceof Outcome.AlreadyCompleted);
            try {
                execution.forgetPayload();
                node.recorder().record(execution, lost ? JobRuns.RELEASED : outcome, took);
            } catch (Error e) {
                letGo(execution); // no memory: as a claim that nobody holds, it is given back
                throw e;
            }
        }
    }

    /** Whether the caller is the one that may hand over an outcome. */
    private boolean firstToSettle(Execution execution) {
        boolean first = held.settle(execution);
        if (first) {
            signalIfRoom();
        }
        return first;
    }

    /** Its outcome has been recorded or refused, or need not be. */
    @Override
    public boolean letGo(Execution execution) {
        boolean wasHeld = held.remove(execution);
        // Not earlier: were the next suspect to kill this process now, this one would be blamed for lack of an outcome.
        node.suspects().leave(execution);
        if (wasHeld) {
            signalIfRoom();
            if (counts.test(execution.job())) {
                gateHasRoom.accept(execution.job().key());
            }
        }
        return wasHeld;
    }

    /** Begins no job of these types any more. Those that run go on. */
    public void leave(SkippedTypes types) {
        runs.leave(types);
        releaseUnstarted();
    }

    /**
     * The node begins to stop: no job begins any more. Those that have not begun go back, and so does what a claim brings that is still
     * under way: a handler that began only after the drain would be interrupted with the threads, and its attempt would count.
     */
    public void close() {
        runs.close();
        releaseUnstarted();
    }

    @Override
    public void releaseUnstarted() {
        runs.goBack(); // first, for those that a thread has in its hands
        giveBack(takeUnstarted());
    }

    private List<Execution> takeUnstarted() {
        List<Execution> unstarted = buffer.takeAll();
        unstarted.addAll(node.suspects().takeParked(this));
        unstarted.addAll(runs.takeGathered());
        return unstarted;
    }

    @Override
    public void giveBackLate(boolean toOthers) {
        threads.ensure(); // there may have been no memory for one
        List<Execution> late = buffer.takeLate(System.nanoTime());
        if (!late.isEmpty() && toOthers) {
            prefetch.restrain();
        }
        giveBack(late);
    }

    /** All of them, even if one of them fails for lack of memory. */
    private void giveBack(List<Execution> unstarted) {
        Error failure = null;
        for (Execution execution : unstarted) {
            try {
                settle(execution, JobRuns.RELEASED, Duration.ZERO);
            } catch (Error e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void abandon() {
        takeUnstarted().forEach(execution -> {
            firstToSettle(execution);
            letGo(execution);
        });
        held.all().forEach(execution -> execution.stop(Execution.Stop.CLAIM_LOST));
    }

    /**
     * Gives back jobs whose handlers do not stop; whatever they say later is refused. A handler that has ended this process by
     * {@link System#exit} is left to rescue, which counts a crash: given back at no cost, its job would end one node after
     * the other.
     */
    void giveUp() {
        held.all().forEach(execution -> {
            if (execution.exiting()) {
                log.error(
                        "queue '{}': the handler of {} called System.exit; that counts as a crash",
                        queue,
                        execution.job());
            } else if (firstToSettle(execution)) {
                node.recorder().record(execution, JobRuns.RELEASED, Duration.ZERO);
                log.warn(
                        "queue '{}': the handler of {} ignores interrupts; its job is given back and may run twice at once",
                        queue,
                        execution.job());
            }
        });
    }

    /** Ends the threads. Those whose handlers ignore interrupts end when their handlers do. */
    public void stop() {
        threads.stop();
    }

    /** Wakes the claimer, which had no demand for jobs of a kind, once it may have some. Thread-safe. */
    private final class DemandSignal {

        private static final int NONE = -1;

        private final Signal signal = new Signal();
        // By kind; written by the claimer, reset by whoever signals. There may be demand once no more jobs than this
        // are held, of whatever kind, or no more of the kind wait for a thread.
        private final AtomicIntegerArray mostHeld = new AtomicIntegerArray(new int[] {NONE, NONE});
        private final AtomicIntegerArray mostWaiting = new AtomicIntegerArray(new int[] {NONE, NONE});

        /** Whether there may be demand by now that there was not. */
        boolean reached() {
            return reached(Kind.PLAIN) || reached(Kind.KEYED);
        }

        private boolean reached(Kind kind) {
            int waiting = mostWaiting.get(kind.ordinal());
            return held.unsettled() <= mostHeld.get(kind.ordinal()) || waiting != NONE && buffer.size(kind) <= waiting;
        }

        /** Whether somebody waits for that. */
        boolean awaited() {
            return awaited(Kind.PLAIN) || awaited(Kind.KEYED);
        }

        private boolean awaited(Kind kind) {
            return mostHeld.get(kind.ordinal()) != NONE || mostWaiting.get(kind.ordinal()) != NONE;
        }

        void raise() {
            for (Kind kind : Kind.values()) {
                mostHeld.set(kind.ordinal(), NONE);
                mostWaiting.set(kind.ordinal(), NONE);
            }
            signal.raise();
        }
    }

    /**
     * The types whose jobs a queue of this node skips.
     *
     * @param ready the node does not claim them, and those that it has go back to ready
     * @param aside paused types; a job of one of them that this queue has claimed though it does not serve the type is put aside
     */
    public record SkippedTypes(Set<String> ready, Set<String> aside) {

        static final SkippedTypes NONE = new SkippedTypes(Set.of(), Set.of());
    }
}
