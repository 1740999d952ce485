package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.thread.Backoff;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.MinimumInterval;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down outcomes: everything that has gathered while the previous write was under way goes into the next (group
 * commit). Idle, an outcome is written at once; under load batches grow by themselves, and small ones keep a little apart.
 *
 * <p>Outcomes of jobs that somebody else has locked, and those that cannot be written at all, wait apart ({@link
 * DelayedOutcomes}); all others go on.
 *
 * <p>Through a database outage it keeps trying. What it holds is bounded by what the queues may hold, and fetchers stop
 * claiming while it is {@link #overloaded()}.
 */
public final class Recorder implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Recorder.class);

    /** Outcomes per write. */
    static final int BATCH = 1_000;

    /** Fewer outcomes than this may wait for company. */
    private static final int SMALL = 200;

    /** While outcomes come one by one, writes begin no sooner than this after each other. */
    private static final Duration APART = Duration.ofMillis(2);

    private static final Duration LOOK_FOR_ROOM = Duration.ofMillis(20);

    private static final Duration SHORTEST_RETRY = Duration.ofMillis(50);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(2);

    /** Of the outcomes that cannot be written, so many are tried again at a time. */
    private static final int RETRIED_AT_ONCE = 100;

    private static final int ALL = Integer.MAX_VALUE;

    /** As often, a batch that cannot be written is tried as a whole only. */
    private static final int TRIES_AS_A_WHOLE = 3;

    /** After as many parts in a row that fail, the database seems to be away. */
    private static final int FAILED_PARTS = 2;

    private final OutcomeWriter writer;
    private final AmbiguousCommits ambiguous;
    private final OutcomeReporter news;
    private final PendingOutcomes pending = new PendingOutcomes();
    private final OutcomeBacklog unwritten = new OutcomeBacklog();
    private final AtomicReference<@Nullable Thread> idle = new AtomicReference<>();
    private final Signal retry = new Signal();
    private final MinimumInterval pace = new MinimumInterval(APART);
    private final List<PendingOutcome> batch =
            new ArrayList<>(BATCH); // recorder's thread only; a field, so that no error forgets it
    private final DelayedOutcomes blocked = // recorder's thread only
            new DelayedOutcomes(Duration.ofMillis(100), Duration.ofSeconds(1));
    private final DelayedOutcomes unwritable = // recorder's thread only
            new DelayedOutcomes(Duration.ofSeconds(1), Duration.ofSeconds(30));
    private final ResultsAside resultsAside;
    private volatile int setAside; // written by the recorder's thread
    private volatile boolean stopping;
    private volatile boolean failing;
    private @Nullable Throwable lastFailure; // recorder's thread only

    public Recorder(OutcomeWriter writer, AmbiguousCommits ambiguous, Observers observer) {
        this.writer = writer;
        this.ambiguous = ambiguous;
        this.news = new OutcomeReporter(observer);
        this.resultsAside = new ResultsAside(unwritable, writer, unwritten);
    }

    /** Takes an outcome to be written. Never blocks. */
    public void record(HeldJob held, Outcome outcome, Duration took) {
        PendingOutcome entry = new PendingOutcome(held, outcome, took);
        pending.add(entry); // first: where there is no memory for that, nothing is to be written
        unwritten.add(entry.resultLength());
        wake();
    }

    private void wake() {
        Thread waiting = idle.getAndSet(null);
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }

    public boolean overloaded() {
        return unwritten.many();
    }

    /** Waits until there is room for results: jobs that were claimed ahead must not all run while the database is away. */
    public void awaitRoomForResults() throws InterruptedException {
        while (unwritten.manyResults()) {
            Signal.pause(LOOK_FOR_ROOM);
        }
    }

    /** Outcomes that are not written yet. */
    public int unwritten() {
        return unwritten.outcomes();
    }

    /** Of those, outcomes that cannot be written although others can. */
    public int setAside() {
        return setAside;
    }

    /**
     * Whether it does not get on with what there is to write, for whatever reason. One that tries in vain, because the database is
     * away, gets on.
     */
    public boolean stuck() {
        return stuck(System.nanoTime());
    }

    public boolean stuck(long now) {
        return unwritten.stuck(now);
    }

    /** Whether more outcomes would only pile up. */
    public boolean behind(long now) {
        return overloaded() || stuck(now);
    }

    /** Whether the last write failed. */
    public boolean failing() {
        return failing;
    }

    /** Lets the recorder end once everything is written, or at the next failure to write. */
    public void stop() {
        stopping = true;
        retry.raise();
        wake();
    }

    @Override
    public void run() {
        while (true) {
            unwritten.getsOn();
            if (unwritten.outcomes() < SMALL && !stopping) {
                pace.await();
            }
            if (hasBatch()) {
                pace.begun();
                writeWhatever(batch);
                batch.clear();
            } else if (stopping) {
                retryBlocked();
                retryUnwritable(ALL);
                giveUp(blocked.take(ALL));
                giveUp(unwritable.take(ALL));
                return;
            } else {
                park();
            }
            if (blocked.due()) {
                retryBlocked();
            }
            if (unwritable.due()) {
                retryUnwritable(RETRIED_AT_ONCE);
            }
            if (resultsAside.tooMany()) {
                giveUpResults();
            }
        }
    }

    /** Only those whose rows are free by now, for nobody else's outcome must wait until a lock times out again. */
    private void retryBlocked() {
        List<PendingOutcome> tried = blocked.take(ALL);
        try {
            Set<Long> locked = tried.isEmpty() ? Set.of() : writer.locked(tried);
            List<PendingOutcome> free = new ArrayList<>(tried.size());
            List<PendingOutcome> still = new ArrayList<>();
            tried.forEach(entry -> (locked.contains(OutcomeRows.claim(entry).token()) ? still : free).add(entry));
            blocked.add(still);
            writeWhatever(free);
        } catch (RuntimeException | Error e) {
            log.debug("whether {} outcomes are still blocked cannot be told", tried.size(), e);
            blocked.add(tried);
        }
        blocked.tried(false);
        noteApart();
    }

    /** Once, whatever comes of it: nobody else's outcome waits for many of these. */
    private void retryUnwritable(int most) {
        int before = unwritable.size();
        List<PendingOutcome> tried = unwritable.take(most);
        try {
            List<PendingOutcome> failed = attempt(tried);
            setAside(failed.isEmpty() ? failed : attemptInParts(failed, ALL));
        } catch (RuntimeException | Error e) {
            lastFailure = e;
            setAside(tried);
        }
        unwritable.tried(unwritable.size() < before);
        resultsAside.tryAgain();
        noteApart();
    }

    private void giveUpResults() {
        List<PendingOutcome> without = resultsAside.giveUp(Objects.requireNonNull(lastFailure));
        try {
            setAside(attempt(without));
        } catch (RuntimeException | Error e) {
            lastFailure = e;
            setAside(without);
        }
    }

    private void noteApart() {
        setAside = unwritable.size();
        unwritten.apart(blocked.size() + unwritable.size(), blocked.results() + unwritable.results());
    }

    /** What an error left from the last time, or what has come since. */
    private boolean hasBatch() {
        if (batch.isEmpty()) {
            pending.moveTo(batch, BATCH);
        }
        return !batch.isEmpty();
    }

    /** Announces that it sleeps, looks once more, sleeps: an outcome that comes in between finds the announcement. */
    private void park() {
        Thread.interrupted(); // nobody of ours interrupts this thread, and who is interrupted does not sleep
        idle.set(Thread.currentThread());
        if (pending.isEmpty() && !stopping) {
            LockSupport.parkNanos(this, Math.max(1, Math.min(blocked.nanosUntilDue(), unwritable.nanosUntilDue())));
        }
        idle.set(null);
    }

    /** Without its recorder a node would hold its jobs for ever: nothing may end this thread, and no outcome be forgotten. */
    private void writeWhatever(List<PendingOutcome> batch) {
        Throwable error = null;
        boolean open = true;
        while (open) {
            try {
                if (error != null) {
                    LockSupport.parkNanos(this, LONGEST_RETRY.toNanos());
                    noteFailure(error, batch.size());
                }
                // What has been written before the error is refused when it is tried again, and then found.
                write(batch);
                open = false;
            } catch (RuntimeException | Error e) {
                error = e;
                if (stopping) {
                    giveUp(batch);
                    return;
                }
            }
        }
    }

    /**
     * Writes the batch, however long the database is away; gives up only when stopping. Outcomes that come meanwhile join it:
     * that they can be written shows whether the database is to blame, or one of the outcomes.
     */
    private void write(List<PendingOutcome> batch) {
        Backoff backoff = new Backoff(SHORTEST_RETRY, LONGEST_RETRY);
        List<PendingOutcome> open = batch;
        for (int tries = 1; !open.isEmpty(); tries++) {
            List<PendingOutcome> failed = attempt(open);
            if (!failed.isEmpty() && tries > TRIES_AS_A_WHOLE) {
                failed = attemptInParts(failed, tries - TRIES_AS_A_WHOLE);
            }
            noteFailure(failed.isEmpty() ? null : lastFailure, failed.size());
            if (failed.isEmpty()) {
                return;
            }
            if (stopping) {
                giveUp(failed);
                return;
            }
            if (failed.size() < open.size()) {
                backoff.reset();
            }
            pause(backoff.next());
            int before = batch.size();
            pending.moveTo(batch, BATCH - failed.size());
            open = new ArrayList<>(failed);
            open.addAll(batch.subList(before, batch.size()));
        }
    }

    /** Returns what could not be written because nothing could. */
    private List<PendingOutcome> attempt(List<PendingOutcome> entries) {
        OutcomeWriter.Written written = ambiguous.resolve(writer.write(entries));
        unwritten.getsOn();
        if (written.failure() != null) {
            lastFailure = written.failure();
        }
        blocked.add(written.blocked());
        noteApart();
        news.blocked(written.blocked());
        setAside(written.unwritable());
        written.recorded().stream().filter(this::forget).forEach(news::finished);
        written.refused().stream().filter(this::forget).forEach(news::lost);
        return written.failed();
    }

    /**
     * Tries them in parts. Should one of them be what cannot be written, the others get past it in the end. Once it fails alone while
     * others can be written, or could be if there were any, it is set aside. Returns what is left to be tried.
     */
    private List<PendingOutcome> attemptInParts(List<PendingOutcome> entries, int time) {
        List<PendingOutcome> left = new ArrayList<>();
        List<PendingOutcome> alone = new ArrayList<>();
        boolean writable = false;
        boolean away = false;
        int triedParts = 0;
        for (List<PendingOutcome> part : OutcomeParts.of(entries, time)) {
            if (!writable && !away && triedParts == FAILED_PARTS) {
                writable = part.size() == 1 && writer.writable(0);
                away = !writable;
            }
            List<PendingOutcome> failed = away ? part : attempt(part);
            writable |= failed.size() < part.size();
            triedParts++;
            (part.size() == 1 ? alone : left).addAll(failed);
        }
        if (writable || !away && !alone.isEmpty() && writer.writable(0)) {
            setAside(alone);
        } else {
            left.addAll(alone);
        }
        return left;
    }

    private void setAside(List<PendingOutcome> entries) {
        unwritable.add(entries);
        noteApart();
        news.unwritable(entries, lastFailure);
    }

    private void noteFailure(@Nullable Throwable failure, int open) {
        boolean before = failing;
        failing = failure != null;
        if (failing && !before) {
            EndlessTask.tell(
                    () -> log.warn("{} outcomes could not be written; they are kept and tried again", open, failure));
        } else if (!failing && before) {
            EndlessTask.tell(() -> log.info("outcomes can be written again"));
        }
    }

    private void pause(Duration wait) {
        try {
            retry.await(wait);
        } catch (InterruptedException e) {
            log.debug("the recorder was interrupted, and goes on: it is stopped in another way", e);
        }
    }

    private void giveUp(List<PendingOutcome> entries) {
        if (!entries.isEmpty()) {
            log.error(
                    "{} outcomes could not be written before the stop; their jobs will run again elsewhere",
                    entries.size());
            entries.forEach(this::forget);
        }
    }

    /** Returns whether this is the first time. */
    private boolean forget(PendingOutcome entry) {
        boolean held = entry.held().letGo();
        if (held) {
            unwritten.remove(entry.resultLength());
        }
        return held;
    }
}
