package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.thread.Backoff;
import dev.rowlock.queue.internal.thread.MinimumInterval;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down outcomes: everything that has gathered while the previous write was under way goes into the next (group
 * commit). Idle, an outcome is written at once; under load batches grow by themselves, and small ones keep a little apart.
 *
 * <p>Outcomes of jobs that somebody else has locked wait apart ({@link BlockedOutcomes}), and so do those that cannot be written
 * although others can ({@link OutcomesAside}); all others go on.
 *
 * <p>Through a database outage it keeps trying. What it holds is bounded by what the queues may hold, and fetchers stop
 * claiming while it is {@link #behind}.
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

    /** So long one round of tries of outcomes that cannot be written may hold up the others. */
    private static final Duration RETRIES = Duration.ofMillis(100);

    /** At the stop nobody waits behind them: so long one round may take, and so much later comes the next. */
    private static final Duration RETRIES_AT_THE_STOP = Duration.ofSeconds(1);

    private static final Duration AGAIN_AT_THE_STOP = Duration.ofMillis(50);

    /** As often, a batch is tried as a whole. */
    private static final int TRIES_AS_A_WHOLE = 3;

    private final OutcomeWriter writer;
    private final OutcomeWriter impatient;
    private final AmbiguousCommits ambiguous;
    private final OutcomeReporter news;
    private final PendingOutcomes pending = new PendingOutcomes();
    private final OutcomeBacklog unwritten = new OutcomeBacklog();
    private final Signal retry = new Signal();
    private final MinimumInterval pace = new MinimumInterval(APART);
    private final List<PendingOutcome> batch =
            new ArrayList<>(BATCH); // recorder's thread only; a field, so that no error forgets it
    private final BlockedOutcomes blocked = // recorder's thread only
            new BlockedOutcomes(Duration.ofMillis(100), Duration.ofSeconds(1));
    private final OutcomesAside aside = new OutcomesAside(); // recorder's thread only
    private final ResultsAside resultsAside;
    private volatile int setAside; // written by the recorder's thread
    private volatile int givenUp; // written by the recorder's thread
    private volatile @Nullable TimeBudget lastWrites; // null: it does not stop; set once
    private @Nullable Throwable lastFailure; // recorder's thread only

    public Recorder(OutcomeWriter writer, AmbiguousCommits ambiguous, Observers observer) {
        this.writer = writer;
        this.impatient = writer.impatient();
        this.ambiguous = ambiguous;
        this.news = new OutcomeReporter(observer);
        this.resultsAside = new ResultsAside(aside, writer, unwritten);
    }

    /** Takes an outcome to be written. Never blocks. */
    public void record(HeldJob held, Outcome outcome, Duration took) {
        PendingOutcome entry = new PendingOutcome(held, outcome, took);
        pending.add(entry); // first: where there is no memory for that, nothing is to be written
        unwritten.add(entry.resultLength());
        pending.wake();
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

    /** Of those, outcomes that cannot be written by themselves, although others can. */
    public int setAside() {
        return setAside;
    }

    /**
     * Whether it does not get on with what there is to write, for whatever reason. One that tries in vain, because the database is
     * away, gets on.
     */
    public boolean stuck(long now) {
        return unwritten.stuck(now);
    }

    /** How long it has tried in vain to write what there is to write; zero: it does not. */
    public Duration inVain() {
        return unwritten.inVain(System.nanoTime());
    }

    /** Whether more outcomes would only pile up. */
    public boolean behind(long now) {
        return unwritten.behind(now);
    }

    /** Whether the last write failed. */
    public boolean failing() {
        return news.failing();
    }

    /** After its stop, the outcomes that were not written: their jobs run again. */
    public int lost() {
        return givenUp + unwritten();
    }

    /** Lets the recorder end once everything is written. What cannot be written within this time is given up. */
    public void stop(Duration longest) {
        lastWrites = new TimeBudget(longest);
        retry.raise();
        pending.wake();
    }

    @Override
    public void run() {
        while (true) {
            unwritten.getsOn();
            if (unwritten.outcomes() < SMALL && !stopping()) {
                pace.await();
            }
            if (hasBatch()) {
                pace.begun();
                unwritten.begins();
                writeWhatever(batch);
                unwritten.ends();
                batch.clear();
            } else if (stopping()) {
                if (endedApart()) {
                    return;
                }
            } else {
                pending.await(Math.min(blocked.nanosUntilDue(), aside.nanosUntilDue()), this::stopping);
            }
            if (blocked.due()) {
                retryBlocked();
            }
            if (aside.due()) {
                retryAside(RETRIES);
            }
            if (resultsAside.tooMany()) {
                giveUpResults();
            }
        }
    }

    private boolean stopping() {
        return lastWrites != null;
    }

    private boolean outOfTime() {
        return lastWrites != null && lastWrites.over();
    }

    /** At the stop: tries what waits apart. Returns whether nothing is left, or no time. */
    private boolean endedApart() {
        retryBlocked();
        retryAside(RETRIES_AT_THE_STOP);
        boolean ended = blocked.isEmpty() && aside.isEmpty() || outOfTime();
        if (ended) {
            giveUp(blocked.takeAll());
            giveUp(aside.takeAll());
        } else {
            pause(AGAIN_AT_THE_STOP);
        }
        return ended;
    }

    /** Only those whose rows are free by now, for nobody else's outcome must wait until a lock times out again. */
    private void retryBlocked() {
        List<PendingOutcome> tried = blocked.takeAll();
        long begun = System.nanoTime();
        try {
            Set<Long> locked = tried.isEmpty() ? Set.of() : impatient.locked(tried);
            Predicate<PendingOutcome> still =
                    entry -> locked.contains(OutcomeRows.claim(entry).token());
            blocked.add(tried.stream().filter(still).toList());
            setAside(tried.stream().filter(still.negate()).toList());
        } catch (RuntimeException | Error e) {
            log.debug("whether {} outcomes are still blocked cannot be told", tried.size(), e);
            blocked.add(tried);
        }
        blocked.tried(since(begun));
        noteApart();
    }

    /** Each by itself, as many as there is time for: nobody else's outcome waits for many of these, nor long for one. */
    private void retryAside(Duration longest) {
        long begun = System.nanoTime();
        int before = aside.size();
        for (int left = before; left > 0 && since(begun).compareTo(longest) < 0; left--) {
            PendingOutcome next = aside.take();
            if (!attemptAlone(next)) {
                aside.addRefused(next);
            }
        }
        aside.tried(aside.size() < before, since(begun));
        resultsAside.tryAgain();
        noteApart();
        news.unwritable(aside, lastFailure);
    }

    private boolean attemptAlone(PendingOutcome entry) {
        try {
            OutcomeWriter.Written written = writeOnce(impatient, List.of(entry));
            return written.failed().isEmpty() && written.unwritable().isEmpty();
        } catch (RuntimeException | Error e) {
            lastFailure = e;
            return false;
        }
    }

    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private void giveUpResults() {
        List<PendingOutcome> without = resultsAside.giveUp(this::attemptAlone, () -> lastFailure);
        try {
            setAside(attempt(writer, without));
        } catch (RuntimeException | Error e) {
            lastFailure = e;
            setAside(without);
        }
    }

    private void noteApart() {
        setAside = aside.refused();
        unwritten.apart(blocked.size() + aside.size(), blocked.results() + aside.results());
    }

    /** What an error left from the last time, or what has come since. */
    private boolean hasBatch() {
        if (batch.isEmpty()) {
            pending.moveTo(batch, BATCH);
        }
        return !batch.isEmpty();
    }

    /** Without its recorder a node would hold its jobs for ever: nothing may end this thread, and no outcome be forgotten. */
    private void writeWhatever(List<PendingOutcome> batch) {
        Throwable error = null;
        boolean open = true;
        while (open) {
            try {
                if (error != null) {
                    LockSupport.parkNanos(this, (stopping() ? AGAIN_AT_THE_STOP : LONGEST_RETRY).toNanos());
                    noteFailure(error, batch.size());
                }
                // What has been written before the error is refused when it is tried again, and then found.
                write(batch);
                open = false;
            } catch (RuntimeException | Error e) {
                error = e;
                if (outOfTime()) {
                    giveUp(batch);
                    return;
                }
            }
        }
    }

    /**
     * Writes the batch, however long the database is away; gives up only when a stop has no time left. Outcomes that come meanwhile join it:
     * that they can be written shows whether the database is to blame, or one of the outcomes.
     */
    private void write(List<PendingOutcome> batch) {
        Backoff backoff = new Backoff(SHORTEST_RETRY, LONGEST_RETRY);
        List<PendingOutcome> open = batch;
        boolean suspicious = !aside.isEmpty(); // then probably one of the outcomes is to blame again
        boolean unanswered = suspicious;
        for (int tries = 1; !open.isEmpty(); tries++) {
            OutcomeWriter through = unanswered || stopping() ? impatient : writer;
            long begun = System.nanoTime();
            List<PendingOutcome> failed = attempt(through, open);
            boolean again = unanswered;
            unanswered = !failed.isEmpty() && since(begun).compareTo(impatient.answerWithin()) >= 0;
            if (!failed.isEmpty() && (suspicious || tries >= TRIES_AS_A_WHOLE || unanswered && again)) {
                failed = attemptByType(through, failed);
            }
            noteFailure(failed.isEmpty() ? null : lastFailure, failed.size());
            if (failed.isEmpty()) {
                break;
            }
            if (outOfTime()) {
                giveUp(failed);
                break;
            }
            if (failed.size() < open.size()) {
                backoff.reset();
            }
            pause(stopping() ? AGAIN_AT_THE_STOP : backoff.next());
            int before = batch.size();
            pending.moveTo(batch, BATCH - failed.size());
            open = new ArrayList<>(failed);
            open.addAll(batch.subList(before, batch.size()));
        }
        news.unwritable(aside, lastFailure);
    }

    /** Returns what could not be written because nothing could. */
    private List<PendingOutcome> attempt(OutcomeWriter through, List<PendingOutcome> entries) {
        OutcomeWriter.Written written = writeOnce(through, entries);
        written.unwritable().forEach(aside::addRefused);
        noteApart();
        return written.failed();
    }

    /** Leaves it to the caller what becomes of those that are unwritable or failed. */
    private OutcomeWriter.Written writeOnce(OutcomeWriter through, List<PendingOutcome> entries) {
        OutcomeWriter.Written written = ambiguous.resolve(through.write(entries));
        unwritten.tried(written.failed().size() < entries.size());
        if (written.failure() != null) {
            lastFailure = written.failure();
        }
        blocked.add(written.blocked());
        news.blocked(written.blocked());
        written.recorded().stream().filter(this::forget).forEach(news::finished);
        written.refused().stream().filter(this::forget).forEach(news::lost);
        return written;
    }

    /** What fails while others can be written is set aside, to be tried one by one. Returns what is left, because the database is away. */
    private List<PendingOutcome> attemptByType(OutcomeWriter through, List<PendingOutcome> entries) {
        TypeByType.Left left = TypeByType.attempt(entries, part -> attempt(through, part), () -> through.writable(0));
        if (!left.others()) {
            return left.failed();
        }
        setAside(left.failed());
        return List.of();
    }

    private void setAside(List<PendingOutcome> entries) {
        aside.add(entries);
        noteApart();
    }

    private void noteFailure(@Nullable Throwable failure, int open) {
        if (news.noteFailure(failure, open)) {
            aside.retryNow();
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
            givenUp += (int) entries.stream().filter(this::forget).count();
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
