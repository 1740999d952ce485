package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.Failing;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.spi.ClaimCounts;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when to look for jobs of one queue: when it is woken, when it hears of some, and from time to time. Has a thread
 * while jobs come; else it rests, and whatever wakes it starts one.
 */
public final class Fetcher implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Fetcher.class);

    /** When jobs became ready elsewhere, so many nodes more than it takes look at once: some may be busy. */
    private static final int SPARE = 1;

    /** The others look one after the other, so far apart. */
    private static final Duration LOOK_APART = Duration.ofMillis(5);

    /**
     * A node that has met jobs it does not know lets others claim first. Without this, whichever node moves such a job to
     * ready would wake itself first, claim it again, and keep it for ever from those who know it. Where there are no others, jobs
     * that it does know would only wait behind thousands of the others.
     */
    private static final Duration COURTESY = Duration.ofMillis(200);

    /** A fetcher whose queue has brought nothing for so long rests. */
    public static final Duration KEPT = Duration.ofMinutes(1);

    private final Claimer claimer;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private final QueueConsumer consumer;
    private final Duration retryInterval;
    private final Duration kept;
    private final Failing claims = new Failing();

    private @Nullable EndlessTask part; // guarded by this, as below; the last one
    private @Nullable Thread thread;
    private volatile boolean unable; // the last thread could not be started
    private volatile boolean stopping;

    /**
     * @param retryInterval how long to wait after a claim that failed
     * @param kept how long its thread stays that finds nothing
     */
    public Fetcher(Claimer claimer, Duration retryInterval, Duration kept) {
        this.claimer = claimer;
        this.consumer = claimer.consumer();
        this.retryInterval = retryInterval;
        this.kept = kept;
    }

    /** From now on whatever wakes it starts a thread, should it have none. */
    void open() {
        consumer.wakeSignal().calls(this::start);
    }

    /** Whether it has no thread, nor needs one. */
    boolean resting() {
        return consumer.wakeSignal().abandoned();
    }

    /** Whether somebody must look at its queue from time to time, since it does not. */
    boolean polledByNode() {
        return resting() && !claimer.claimsNothing();
    }

    /** Starts a thread if one was called for and could not be had. */
    void comeIfCalled() {
        consumer.wakeSignal().callAgain();
    }

    private void start() {
        try {
            startThread();
            unable = false;
        } catch (RuntimeException | Error e) {
            consumer.wakeSignal().calls(this::start);
            boolean first = !unable;
            unable = true;
            if (first) {
                EndlessTask.tell(() -> log.warn(
                        "queue '{}': no thread can be started to claim its jobs; it is tried again",
                        consumer.queue(),
                        e));
            }
        }
    }

    private synchronized void startThread() {
        if (stopping) {
            return;
        }
        EndlessTask next = new EndlessTask(name(), this);
        Thread started = next.thread();
        started.setContextClassLoader(loader); // the current thread may be one of the application's that enqueues
        started.start(); // looks at the fields only after they are set
        part = next;
        thread = started;
    }

    private String name() {
        return "rowlock-fetcher-" + queue();
    }

    private synchronized @Nullable EndlessTask part() {
        return part;
    }

    /** Its thread, if that cannot go on, by name. */
    Stream<String> broken() {
        EndlessTask now = part();
        return unable || now != null && now.troubled() ? Stream.of(name()) : Stream.empty();
    }

    /** Its thread, if no claim has worked for long, by name. */
    Stream<String> failing() {
        return claims.lasting() ? Stream.of(name()) : Stream.empty();
    }

    ClaimCounts counts() {
        return claimer.counts();
    }

    public String queue() {
        return consumer.queue();
    }

    /** A job of this rank became ready: look at once. */
    public void jobsReady(int rank) {
        claimer.urgent(rank);
        wake();
    }

    /** There are jobs of this key, or of some if it is null, or there is room for one: look at once. */
    public void keysReady(@Nullable String key) {
        claimer.keyed().heardOf(key);
        wake();
    }

    /** The same, and all nodes hear of it: look when it is this node's turn, counted from the first of them. */
    public void keysHeard(@Nullable String key, int first) {
        claimer.keyed().heardOf(key);
        wakeInTurn(first, 1);
    }

    /** Whether a limit counts this job, or may do so by now. Any thread. */
    public boolean counts(ClaimedJob job) {
        return claimer.keyed().counts(job);
    }

    /** A job of this key, or of none, has ended here that counted against a limit. Returns whether others must be told, who may take the next one. */
    public boolean countedJobEnded(@Nullable String key) {
        if (claimer.keyed().countedJobEnded(key)) {
            wake();
        }
        return claimer.place().nodes() > 1 && !claimer.takesAll();
    }

    /** Jobs went back to the place in the queue that they had: the next look, soon to come, is from the front if it may be. */
    public void jobsBack() {
        claimer.jobsBack();
    }

    /**
     * So many jobs became ready, the most urgent of this rank, and all nodes hear of it: look at once if it takes this
     * node to run them all, counted from the first of them; otherwise a little later, in case the others are busy.
     */
    public void jobsHeard(int rank, long jobs, int first) {
        claimer.urgent(rank);
        wakeInTurn(first, jobs);
    }

    private void wakeInTurn(int first, long jobs) {
        Duration wait = lookIn(claimer.place(), first, jobs, consumer.concurrency());
        if (wait.isZero()) {
            wake();
        } else {
            consumer.wakeSignal().raiseIn(wait);
        }
    }

    /** How soon a node in this place looks; zero: at once. */
    static Duration lookIn(Place place, int first, long jobs, int concurrency) {
        int earlier = Math.floorMod((long) place.number() - first, place.nodes()) - SPARE;
        return (long) earlier * concurrency < jobs ? Duration.ZERO : LOOK_APART.multipliedBy(earlier);
    }

    /** There may be jobs: look at once. */
    public void wake() {
        consumer.wakeSignal().raise();
    }

    /** Gives back claimed jobs that would not begin soon. Called several times a second, by one thread at a time. */
    public void giveBackLate() {
        claimer.giveBackLate();
    }

    public void pause(boolean pause) {
        if (claimer.pause(pause) && !(pause && resting())) {
            wake();
        }
    }

    /** Leaves jobs of these types to others; from all types it claims nothing. */
    public void leave(Set<String> types, boolean all) {
        if (claimer.leave(types, all) && !(all && resting())) {
            wake();
        }
    }

    /** Nothing more is claimed from now on, though a claim may be under way. */
    void stop() {
        synchronized (this) {
            if (part != null) {
                part.end();
            }
            stopping = true;
        }
        claimer.close();
        if (!resting()) {
            wake();
        }
    }

    /** After a stop: whether a claim may still be under way. */
    boolean fetching() {
        Thread last = thread();
        return last != null && last.isAlive();
    }

    private synchronized @Nullable Thread thread() {
        return thread;
    }

    /** Waits for its thread to end. */
    void join(TimeBudget time) {
        Thread last = thread();
        if (last != null) {
            time.join(last);
        }
    }

    /** Until it is stopped, or rests. */
    @Override
    public void run() {
        EndlessTask own = Objects.requireNonNull(part());
        long begun = System.nanoTime();
        waitFor(consumer.wakeSignal()::await);
        while (!stopping) {
            Duration rest;
            try {
                rest = claimer.claim();
                claims.worked();
            } catch (RuntimeException | Error e) {
                if (claims.failed() && !stopping) {
                    log.warn(
                            "queue '{}': claiming failed, will try again each {}",
                            consumer.queue(),
                            DurationText.of(retryInterval),
                            e);
                }
                rest = Signal.jittered(retryInterval);
            }
            if (!claims.now() && System.nanoTime() - begun >= kept.toNanos() && rests()) {
                own.end();
                return;
            }
            if (!rest.isZero()) {
                pauseFor(rest);
            }
        }
    }

    private boolean rests() {
        return claimer.idleFor(kept) && consumer.wakeSignal().leave(this::start);
    }

    private void pauseFor(Duration rest) {
        waitFor(() -> consumer.wakeSignal().await(rest));
    }

    private void waitFor(Wait wait) {
        Thread.interrupted(); // left behind by somebody's code: it would cut each rest short
        try {
            wait.run();
            if (consumer.metUnknownType()) {
                Signal.pause(Signal.jittered(courtesy(claimer.place())));
            }
        } catch (InterruptedException e) {
            log.debug("queue '{}': interrupted, looks whether it is to stop", consumer.queue(), e);
        }
    }

    @FunctionalInterface
    private interface Wait {

        void run() throws InterruptedException;
    }

    /** How long a node in this place lets others claim first. */
    static Duration courtesy(Place place) {
        return place.nodes() > 1 ? COURTESY : Duration.ZERO;
    }
}
