package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down outcomes: everything that has gathered while the previous write was under way goes into the next (group
 * commit). Idle, an outcome is written at once; under load batches grow by themselves, and small ones keep a little apart.
 *
 * <p>Outcomes of jobs that somebody else has locked are set aside ({@link BlockedOutcomes}); all others go on.
 *
 * <p>Through a database outage it keeps trying. What it holds is bounded by what the queues may hold, and fetchers stop
 * claiming while it is {@link #overloaded()}.
 */
final class Recorder implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Recorder.class);

    /** Outcomes per write. */
    static final int BATCH = 1_000;

    /** A write with more characters of results than this gets no more outcomes: it lies in memory several times. */
    private static final long RESULTS = 4L << 20;

    /** Fewer outcomes than this may wait for company. */
    private static final int SMALL = 200;

    /** While outcomes come one by one, writes begin no sooner than this after each other. */
    private static final Duration APART = Duration.ofMillis(2);

    /** With more outcomes than this unwritten, nothing more is claimed. */
    static final int OVERLOAD = 5_000;

    /** Nor if their results have more characters than this. */
    static final long OVERLOAD_OF_RESULTS =
            Math.min(16L << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final Duration LOOK_FOR_ROOM = Duration.ofMillis(20);

    private static final Duration SHORTEST_RETRY = Duration.ofMillis(50);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);

    /** One outcome on its way. */
    record Entry(Execution execution, Outcome outcome, Duration took) {

        int resultLength() {
            return outcome instanceof Outcome.Completed completed && completed.resultJson() != null
                    ? completed.resultJson().length()
                    : 0;
        }
    }

    private final OutcomeWriter writer;
    private final Doubts doubts;
    private final JobObserver observer;
    private final Queue<Entry> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unwritten = new AtomicInteger();
    private final AtomicLong unwrittenResults = new AtomicLong(); // characters
    private final AtomicReference<@Nullable Thread> idle = new AtomicReference<>();
    private final Signal retry = new Signal();
    private final Pace pace = new Pace(APART);
    private final BlockedOutcomes blocked = new BlockedOutcomes(); // recorder's thread only
    private volatile boolean stopping;
    private volatile boolean failing;

    Recorder(OutcomeWriter writer, Doubts doubts, JobObserver observer) {
        this.writer = writer;
        this.doubts = doubts;
        this.observer = observer;
    }

    /** Takes an outcome to be written. Never blocks. */
    void record(Execution execution, Outcome outcome, Duration took) {
        Entry entry = new Entry(execution, outcome, took);
        count(entry, 1);
        try {
            pending.add(entry);
        } catch (Error e) {
            count(entry, -1);
            throw e;
        }
        Thread waiting = idle.getAndSet(null);
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    boolean overloaded() {
        return unwritten.get() > OVERLOAD || unwrittenResults.get() > OVERLOAD_OF_RESULTS;
    }

    /** Waits until results can be borne again: who has claimed jobs ahead must not run them all into a database that is away. */
    void awaitRoomForResults() throws InterruptedException {
        while (unwrittenResults.get() > OVERLOAD_OF_RESULTS && !stopping) {
            Signal.pause(LOOK_FOR_ROOM);
        }
    }

    /** Outcomes that are not written yet. */
    int unwritten() {
        return unwritten.get();
    }

    /** Whether the last write failed. */
    boolean failing() {
        return failing;
    }

    /** Lets the recorder end once everything is written, or at the next failure to write. */
    void stop() {
        stopping = true;
        retry.raise();
        Thread waiting = idle.getAndSet(null);
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    @Override
    public void run() {
        while (true) {
            if (unwritten.get() < SMALL && !stopping) {
                pace.await();
            }
            List<Entry> batch = nextBatch();
            if (!batch.isEmpty()) {
                pace.begun();
                writeWhatever(batch);
            } else if (stopping) {
                retryBlocked();
                giveUp(blocked.take());
                return;
            } else {
                park();
            }
            if (blocked.due()) {
                retryBlocked();
            }
        }
    }

    private void retryBlocked() {
        writeWhatever(blocked.take());
        blocked.tried();
    }

    private List<Entry> nextBatch() {
        List<Entry> batch = new ArrayList<>(Math.min(BATCH, unwritten.get()));
        long results = 0;
        while (batch.size() < BATCH && results < RESULTS) {
            Entry entry = pending.poll();
            if (entry == null) {
                break;
            }
            results += entry.resultLength();
            batch.add(entry);
        }
        return batch;
    }

    /** Announces that it sleeps, looks once more, sleeps: an outcome that comes in between finds the announcement. */
    private void park() {
        idle.set(Thread.currentThread());
        if (pending.isEmpty() && !stopping) {
            if (blocked.isEmpty()) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, Math.max(1, blocked.nanosUntilDue()));
            }
        }
        idle.set(null);
    }

    /** Without its recorder a node would hold its jobs for ever: nothing may end this thread. */
    private void writeWhatever(List<Entry> batch) {
        try {
            write(batch);
        } catch (RuntimeException | Error e) {
            log.error("the recorder met an error of Rowlock's own; jobs whose outcome was not written run again", e);
            batch.forEach(this::forget);
        }
    }

    /** Writes the batch, however long the database is away; gives up only when stopping. */
    private void write(List<Entry> batch) {
        List<Entry> open = batch;
        Backoff backoff = new Backoff(SHORTEST_RETRY, LONGEST_RETRY);
        boolean again = false;
        while (!open.isEmpty()) {
            OutcomeWriter.Written written = writer.write(open);
            if (again) {
                written = doubts.resolve(written);
            }
            written.recorded().forEach(this::finished);
            written.refused().forEach(this::lost);
            blocked.add(written.blocked());
            again = true;
            open = written.failed();
            noteFailure(written.failure(), open.size());
            if (!open.isEmpty()) {
                if (stopping) {
                    giveUp(open);
                    return;
                }
                pause(backoff.next());
            }
        }
    }

    private void noteFailure(@Nullable RuntimeException failure, int open) {
        if (failure != null && !failing) {
            log.warn("{} outcomes could not be written; they are kept and tried again", open, failure);
        } else if (failure == null && failing) {
            log.info("outcomes can be written again");
        }
        failing = failure != null;
    }

    private void pause(Duration wait) {
        try {
            retry.await(wait);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stopping = true;
        }
    }

    private void finished(Entry entry) {
        forget(entry);
        if (entry.outcome() instanceof Outcome.Failed failed) {
            // Not its message: that may quote the payload.
            log.warn(
                    "{} is dead: {}; its error history says more",
                    entry.execution().job(),
                    failed.error().type());
        }
        Observers.quietly(() -> observer.finished(entry.execution().job(), entry.outcome(), entry.took()));
    }

    private void lost(Entry entry) {
        forget(entry);
        if (entry.outcome() instanceof Outcome.Released) {
            log.debug("{} is not this node's any more", entry.execution().job());
        } else {
            log.warn(
                    "the outcome '{}' of {} is refused: its claim is over, lost or already recorded; the database decides",
                    entry.outcome().label(),
                    entry.execution().job());
        }
        Observers.quietly(() -> observer.lost(entry.execution().job()));
    }

    private void giveUp(List<Entry> entries) {
        if (!entries.isEmpty()) {
            log.error(
                    "{} outcomes could not be written before the stop; their jobs will run again elsewhere",
                    entries.size());
            entries.forEach(this::forget);
        }
    }

    private void forget(Entry entry) {
        if (entry.execution().worker().released(entry.execution())) {
            count(entry, -1);
        }
    }

    private void count(Entry entry, int sign) {
        unwritten.addAndGet(sign);
        int result = entry.resultLength();
        if (result > 0) {
            unwrittenResults.addAndGet((long) sign * result);
        }
    }
}
