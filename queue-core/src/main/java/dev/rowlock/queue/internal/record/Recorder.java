package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.thread.Backoff;
import dev.rowlock.queue.internal.thread.MinimumInterval;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down outcomes: everything that has gathered while the previous write was under way goes into the next (group
 * commit). Idle, an outcome is written at once; under load batches grow by themselves, and small ones keep a little apart.
 *
 * <p>Where a batch fails although the database can write, each of its outcomes is tried by itself, apart from the others ({@link LaterOutcomes}): so do
 * those of jobs that somebody else has locked, and those that cannot be written at all.
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

    /** So long a round of tries of those that wait apart may hold up the others. */
    private static final Duration ROUND = Duration.ofMillis(100);

    /** At the stop nobody waits behind them: so long a round may take, and so much later comes the next. */
    private static final Duration ROUND_AT_THE_STOP = Duration.ofSeconds(1);

    private static final Duration AGAIN_AT_THE_STOP = Duration.ofMillis(50);

    /** As often, a batch is tried as a whole before the database is asked whether it can write: it may have been away for a moment. */
    private static final int TRIES_AS_A_WHOLE = 2;

    /** Where none of so many types can be written one after the other, the rest is not tried either. */
    private static final int TYPES_IN_VAIN = 2;

    /** Results that wait apart may have so many characters. With more, some are given up. */
    private static final long MOST_RESULTS_APART = OutcomeBacklog.MANY_RESULTS / 2;

    private final OutcomeWriter writer;
    private final OutcomeWriter impatient;
    private final OutcomeReporter news;
    private final OutcomeBacklog unwritten = new OutcomeBacklog();
    private final Signal retry = new Signal();
    private final MinimumInterval pace = new MinimumInterval(APART);
    private final List<PendingOutcome> batch =
            new ArrayList<>(BATCH); // recorder's thread only; a field, so that no error forgets it
    private final LaterOutcomes later = new LaterOutcomes(); // recorder's thread only
    private volatile int setAside; // written by the recorder's thread
    private volatile int givenUp; // written by the recorder's thread
    private volatile @Nullable TimeBudget lastWrites; // null: it does not stop; set once
    private @Nullable Throwable lastFailure; // recorder's thread only

    public Recorder(OutcomeWriter writer, Observers observer) {
        this.writer = writer;
        this.impatient = writer.impatient();
        this.news = new OutcomeReporter(observer);
    }

    /** Takes an outcome to be written. Never blocks. */
    public void record(HeldJob held, Outcome outcome, Duration took) {
        unwritten.add(new PendingOutcome(held, outcome, took));
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
        unwritten.wake();
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
                unwritten.await(later.nanosUntilDue(), this::stopping);
            }
            if (later.nanosUntilDue() <= 0) {
                tryLater(later.due(), ROUND);
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
        tryLater(later.all(), ROUND_AT_THE_STOP);
        boolean ended = later.isEmpty() || outOfTime();
        if (ended) {
            giveUp(later.takeAll());
        } else {
            pause(AGAIN_AT_THE_STOP);
        }
        return ended;
    }

    /**
     * Tries each of these by itself, as many as there is time for. But none whose row is still locked: nobody else's outcome must wait until a lock
     * times out again.
     */
    private void tryLater(List<LaterOutcomes.Later> entries, Duration longest) {
        long begun = System.nanoTime();
        Set<Long> locked = stillLocked(entries);
        Duration inVain = since(begun);
        boolean hope = false;
        Set<String> refusedTypes = new HashSet<>(); // one try in vain tells enough of the others of its type
        for (LaterOutcomes.Later entry : entries) {
            long before = System.nanoTime();
            if (locked.contains(entry.outcome().claim().token())) {
                later.failed(entry, LaterOutcomes.Reason.LOCKED);
            } else if ((stopping() || !refusedTypes.contains(entry.type()))
                    && since(begun).compareTo(longest) < 0) {
                boolean refused = entry.isRefused();
                boolean written = triedAlone(entry);
                hope |= written && refused;
                if (!written) {
                    refusedTypes.add(entry.type());
                    inVain = inVain.plus(since(before));
                    if (entry.isUntried()) {
                        later.nothingCanBeWritten();
                        break;
                    }
                }
            }
        }
        later.roundEnded(hope, inVain);
        noteApart();
        news.unwritable(later, lastFailure);
    }

    /**
     * The tokens of those whose rows are still locked, as far as that is known. Of the others nobody asks: who asks for many at once gets no answer if there
     * is none for one of them.
     */
    private Set<Long> stillLocked(List<LaterOutcomes.Later> entries) {
        List<PendingOutcome> locked = entries.stream()
                .filter(LaterOutcomes.Later::isLocked)
                .map(LaterOutcomes.Later::outcome)
                .toList();
        try {
            return locked.isEmpty() ? Set.of() : impatient.locked(locked);
        } catch (RuntimeException | Error e) {
            log.debug("whether the rows of {} outcomes are still locked cannot be told", locked.size(), e);
            return Set.of(); // each finds out for itself
        }
    }

    /** Returns whether it was written, or can be in another form. */
    private boolean triedAlone(LaterOutcomes.Later entry) {
        OutcomeWriter.Written written;
        try {
            written = writeOnce(impatient, List.of(entry.outcome()));
        } catch (RuntimeException | Error e) {
            lastFailure = e;
            later.failed(entry, LaterOutcomes.Reason.REFUSED);
            return false;
        }
        if (!written.blocked().isEmpty()) {
            later.failed(entry, LaterOutcomes.Reason.LOCKED);
            return false;
        }
        if (written.failed().isEmpty() && written.unwritable().isEmpty()) {
            later.settle(entry);
            return true;
        }
        if (!impatient.writable(0)) {
            later.failed(entry, LaterOutcomes.Reason.UNTRIED); // it is not to blame
            return false;
        }
        later.failed(entry, LaterOutcomes.Reason.REFUSED);
        return givesUpResult(entry);
    }

    /**
     * Results that cannot be written may be more than a node bears. Then an outcome loses its own, and its job dies: but not for want of disk or memory,
     * only while a result as long can be written and this one cannot even after that. Returns whether it was written, or has lost it.
     */
    private boolean givesUpResult(LaterOutcomes.Later entry) {
        PendingOutcome outcome = entry.outcome();
        try {
            if (later.results() <= MOST_RESULTS_APART
                    || outcome.resultLength() == 0
                    || !impatient.writable(outcome.resultLength())) {
                return false;
            }
            OutcomeWriter.Written written = writeOnce(impatient, List.of(outcome)); // there may be room by now
            if (written.failed().isEmpty() && written.unwritable().isEmpty()) {
                if (written.blocked().isEmpty()) {
                    later.settle(entry);
                }
                return written.blocked().isEmpty();
            }
            if (written.failure() == null || OutcomeWriter.WriteFailure.ofTheServer(written.failure())) {
                return false; // it went down just then, or its disk is full again
            }
            later.replace(entry, outcome.withoutResult(OutcomeWriter.notRecorded(outcome.outcome(), lastFailure)));
            unwritten.removeResult(outcome.resultLength());
            return true;
        } catch (RuntimeException | Error e) {
            lastFailure = e; // no memory, perhaps: it keeps its result until later
            return false;
        }
    }

    private static Duration since(long begun) {
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private void waitApart(List<PendingOutcome> outcomes, LaterOutcomes.Reason reason) {
        later.add(outcomes, reason);
        noteApart();
    }

    private void noteApart() {
        setAside = later.refused();
        unwritten.apart(later.size(), later.results());
    }

    /** What an error left from the last time, or what has come since. */
    private boolean hasBatch() {
        if (batch.isEmpty()) {
            unwritten.moveTo(batch, List.of(), BATCH);
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
     * Writes the batch, however long the database is away; gives up only when a stop has no time left. Outcomes that come meanwhile join it: perhaps
     * those can be written, because they go elsewhere.
     */
    private void write(List<PendingOutcome> batch) {
        refusedTypesWaitApart(batch);
        Backoff backoff = new Backoff(SHORTEST_RETRY, LONGEST_RETRY);
        List<PendingOutcome> open = batch;
        boolean suspicious = setAside > 0; // then probably one of the outcomes is to blame again
        boolean unanswered = suspicious;
        for (int tries = 1; ; tries++) {
            long begun = System.nanoTime();
            List<PendingOutcome> failed = attempt(unanswered || stopping() ? impatient : writer, open);
            unanswered = since(begun).compareTo(impatient.answerWithin()) >= 0;
            if (!failed.isEmpty() && (suspicious || tries >= TRIES_AS_A_WHOLE) && impatient.writable(0)) {
                waitApart(typeByType(failed), LaterOutcomes.Reason.UNTRIED);
                failed = List.of();
            }
            noteFailure(failed.isEmpty() ? null : lastFailure, failed.size());
            if (failed.isEmpty()) {
                return;
            }
            if (outOfTime()) {
                giveUp(failed);
                return;
            }
            if (failed.size() < open.size()) {
                backoff.reset();
            }
            pause(stopping() ? AGAIN_AT_THE_STOP : backoff.next());
            int before = batch.size();
            unwritten.moveTo(batch, failed, BATCH);
            open = new ArrayList<>(failed);
            open.addAll(batch.subList(before, batch.size()));
        }
    }

    /** Takes outcomes of types that are being refused out of the batch: one of them would let all of it fail. */
    private void refusedTypesWaitApart(List<PendingOutcome> batch) {
        Predicate<PendingOutcome> refused = entry -> later.refuses(entry.job().type());
        waitApart(batch.stream().filter(refused).toList(), LaterOutcomes.Reason.UNTRIED);
        batch.removeIf(refused);
    }

    /** What cannot be written most often is of one type: tries each type by itself. Returns what could not be written even so. */
    private List<PendingOutcome> typeByType(List<PendingOutcome> failed) {
        Collection<List<PendingOutcome>> types = failed.stream()
                .collect(Collectors.groupingBy(entry -> entry.job().type()))
                .values();
        List<PendingOutcome> still = new ArrayList<>();
        boolean some = false;
        int left = types.size() == 1 ? 0 : TYPES_IN_VAIN; // the only one has just been tried
        for (List<PendingOutcome> type : types) {
            List<PendingOutcome> open = some || left > 0 ? attempt(impatient, type) : type;
            some |= open.size() < type.size();
            left--;
            still.addAll(open);
        }
        return still;
    }

    /** Returns what could not be written because nothing could. */
    private List<PendingOutcome> attempt(OutcomeWriter through, List<PendingOutcome> entries) {
        OutcomeWriter.Written written = writeOnce(through, entries);
        waitApart(written.blocked(), LaterOutcomes.Reason.LOCKED);
        news.blocked(written.blocked());
        waitApart(written.unwritable(), LaterOutcomes.Reason.REFUSED);
        news.unwritable(later, lastFailure);
        return written.failed();
    }

    /** Leaves it to the caller what becomes of those that were not written. */
    private OutcomeWriter.Written writeOnce(OutcomeWriter through, List<PendingOutcome> entries) {
        OutcomeWriter.Written written = through.write(entries);
        unwritten.tried(written.failed().size() < entries.size());
        if (written.failure() != null) {
            lastFailure = written.failure();
        }
        written.recorded().stream().filter(this::forget).forEach(news::finished);
        written.refused().stream().filter(this::forget).forEach(news::lost);
        return written;
    }

    private void noteFailure(@Nullable Throwable failure, int open) {
        if (news.noteFailure(failure, open)) {
            later.retryNow();
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

    /** A claimed job, held by its node until its outcome is recorded or refused. Thread-safe. */
    public interface HeldJob {

        ClaimedJob job();

        /** The node holds it no longer. Returns whether it did until now. */
        boolean letGo();
    }
}
