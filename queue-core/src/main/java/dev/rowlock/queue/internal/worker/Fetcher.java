package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.internal.store.BeatNode.Place;
import dev.rowlock.queue.internal.store.ClaimReadyJobs;
import dev.rowlock.queue.internal.store.QueueRange;
import dev.rowlock.queue.spi.FetchSettings;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims jobs of one queue for all its threads, in batches. One thread. */
final class Fetcher implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Fetcher.class);

    /** An idle queue is polled this much less often, where notifications arrive. */
    private static final int IDLE_FACTOR = 5;

    /** Jobs per claim while there is a backlog: more would only make its transaction longer. */
    private static final int LARGEST_CLAIM = 1_000;

    /** While jobs come one by one, claims begin no sooner than this after each other. */
    private static final Duration APART = Duration.ofMillis(2);

    /** Who is not in turn asks again by chance within this, for each node that there is: the more wait, the less each asks. */
    private static final Duration OUT_OF_TURN = Duration.ofMillis(6);

    /** When jobs became ready elsewhere, so many nodes more than it takes look at once: some may be busy. */
    private static final int SPARE = 1;

    /** The others look one after the other, so far apart. */
    private static final Duration LOOK_APART = Duration.ofMillis(5);

    /**
     * A node that has met jobs it does not know lets others claim first. Without this, whichever node moves such a job to
     * ready would wake itself first, claim it again, and keep it for ever from those who know it.
     */
    private static final Duration COURTESY = Duration.ofMillis(200);

    private final QueueWorker worker;
    private final ClaimReadyJobs claim;
    private final FetchSettings settings;
    private final Surroundings node;
    private final @Nullable String timeouts;
    private final QueueCursor cursor;

    private final Signal undisturbed = new Signal(); // never raised: for waits that no wake-up cuts short
    private final Pace pace = new Pace(APART);

    private boolean lastWasFull; // fetcher's thread only
    private int emptyPolls; // fetcher's thread only
    private long seenNode; // lease's thread only
    private volatile boolean paused;
    private volatile boolean stopping;

    /** @param timeouts the listeners' timeouts as a JSON object of milliseconds by type */
    Fetcher(
            QueueWorker worker,
            ClaimReadyJobs claim,
            FetchSettings settings,
            Surroundings node,
            @Nullable String timeouts) {
        this.worker = worker;
        this.claim = claim;
        this.settings = settings;
        this.node = node;
        this.timeouts = timeouts;
        this.cursor = new QueueCursor(this::sharers, System.nanoTime());
    }

    /**
     * As many as there are nodes, on average. When the server is slow it is slow for all of them: without chance they
     * would all wait equally long, and then look at the same time.
     */
    private double sharers() {
        int nodes = nodes();
        return nodes == 1 ? 1 : 2 * nodes * ThreadLocalRandom.current().nextDouble();
    }

    private int nodes() {
        return place().nodes();
    }

    private Place place() {
        return node.place(worker.queue());
    }

    QueueWorker worker() {
        return worker;
    }

    /** A job of this rank became ready: look at once. */
    void jobsReady(int rank) {
        cursor.urgent(rank);
        wake();
    }

    /**
     * So many jobs became ready, the most urgent of this rank, and all nodes hear of it: look at once if it takes this
     * node to run them all, counted from the one whose turn it is; otherwise a little later, in case the others are busy.
     */
    void jobsHeard(int rank, long jobs, int turn) {
        cursor.urgent(rank);
        Duration wait = lookIn(place(), turn, jobs, worker.concurrency());
        if (wait.isZero()) {
            wake();
        } else {
            worker.room().raiseIn(wait);
        }
    }

    /** How soon a node in this place looks; zero: at once. */
    static Duration lookIn(Place place, int turn, long jobs, int concurrency) {
        int earlier = Math.floorMod((long) place.number() - turn, place.nodes()) - SPARE;
        return (long) earlier * concurrency < jobs ? Duration.ZERO : LOOK_APART.multipliedBy(earlier);
    }

    /** There may be jobs: look at once. */
    void wake() {
        worker.room().raise();
    }

    void pause(boolean pause) {
        boolean changed = paused != pause;
        paused = pause;
        if (changed && pause) {
            worker.releaseUnstarted();
        }
        if (changed) {
            wake();
        }
    }

    /** The node has a lease under this id: whoever waits for one may go on. */
    void registered(long nodeId) {
        if (seenNode != nodeId) {
            seenNode = nodeId;
            wake();
        }
    }

    void stop() {
        stopping = true;
        wake();
    }

    @Override
    public void run() {
        boolean failing = false;
        while (!stopping) {
            Duration rest;
            try {
                rest = runOnce();
                failing = false;
            } catch (RuntimeException | Error e) {
                node.claimFailed();
                if (!failing) {
                    log.warn(
                            "queue '{}': claiming failed, will try again each {}",
                            worker.queue(),
                            settings.pollInterval(),
                            e);
                }
                failing = true;
                rest = Signal.jittered(settings.pollInterval());
            }
            if (!pauseFor(rest)) {
                return;
            }
        }
    }

    /** Claims once if there is demand. Returns how long to wait before the next look unless something wakes it. */
    Duration runOnce() {
        long nodeId = node.nodeId();
        if (paused || nodeId == 0) {
            return settings.pollInterval();
        }
        int limit = Math.min(worker.demand(), lastWasFull ? LARGEST_CLAIM : ClaimReadyJobs.FEW);
        if (limit == 0) {
            worker.signalRoom();
            return settings.pollInterval();
        }
        return claim(nodeId, limit);
    }

    private Duration claim(long nodeId, int limit) {
        if (!lastWasFull) {
            pace.await();
        }
        pace.begun();
        ClaimReadyJobs.Batch batch = claim.run(worker.queue(), range(), limit, nodeId, timeouts);
        long ended = System.nanoTime();
        if (!batch.inTurn()) {
            return waitForTurn();
        }
        boolean full = batch.jobs().size() == limit;
        lastWasFull = full;
        cursor.claimed(batch.last(), full, batch.took(), ended);
        if (node.nodeId() != nodeId) {
            // The lease was lost meanwhile: rescue takes these jobs back, from the old id.
            return Duration.ZERO;
        }
        worker.accept(batch.jobs(), ended);
        if (paused) {
            worker.releaseUnstarted(); // paused while the claim was under way
        }
        emptyPolls = batch.jobs().isEmpty() ? emptyPolls + 1 : 0;
        if (full) {
            return Duration.ZERO;
        }
        return batch.jobs().isEmpty() ? longer(rest(ended), cursor.untilNextPoll(ended)) : rest(ended);
    }

    private QueueRange range() {
        QueueRange next = cursor.next(System.nanoTime());
        return nodes() == 1 ? next.alone() : next;
    }

    private Duration rest(long now) {
        // Jobs may stand before the cursor: look there as soon as that is affordable.
        return cursor.lookedFromFront() ? idleWait() : shorter(cursor.untilNextLook(now), settings.pollInterval());
    }

    /** Not cut short by wake-ups: where many nodes claim, there are many of those. */
    private Duration waitForTurn() {
        try {
            undisturbed.await(Duration.ofNanos(ThreadLocalRandom.current().nextLong(nodes() * OUT_OF_TURN.toNanos())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Duration.ZERO;
    }

    /** The poll interval; longer while nothing comes and notifications would tell. */
    private Duration idleWait() {
        int factor = node.hearing() ? Math.min(IDLE_FACTOR, Math.max(1, emptyPolls)) : 1;
        return Signal.jittered(settings.pollInterval().multipliedBy(factor));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }

    private boolean pauseFor(Duration rest) {
        if (rest.isZero()) {
            return true;
        }
        try {
            worker.room().await(rest);
            if (worker.metUnknownType()) {
                undisturbed.await(Signal.jittered(COURTESY));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
