package dev.rowlock.queue.internal.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The results of outcomes that cannot be written: more than a node bears would fill its memory. Then those that have been aside
 * for longest lose theirs, and their jobs die. But not for want of disk or memory: only while a result as long can be written.
 * Recorder's thread only.
 */
final class ResultsAside {

    /** Beyond so many characters some lose theirs. */
    private static final long MOST = OutcomeBacklog.MANY_RESULTS / 2;

    private final DelayedOutcomes unwritable;
    private final OutcomeWriter writer;
    private final OutcomeBacklog unwritten;
    private boolean kept; // none as long can be written, no matter whose

    ResultsAside(DelayedOutcomes unwritable, OutcomeWriter writer, OutcomeBacklog unwritten) {
        this.unwritable = unwritable;
        this.writer = writer;
        this.unwritten = unwritten;
    }

    boolean tooMany() {
        return unwritable.results() > MOST && !kept;
    }

    /** Outcomes were tried again: perhaps results can be written now. */
    void tryAgain() {
        kept = false;
    }

    /** Takes out outcomes that lose their results, and returns what is to be written instead. What it cannot replace stays aside. */
    List<PendingOutcome> giveUp(Throwable reason) {
        List<PendingOutcome> without = new ArrayList<>();
        while (tooMany()) {
            PendingOutcome oldest = Objects.requireNonNull(unwritable.takeWithResult());
            kept = !loses(oldest, without, reason);
            if (kept) {
                unwritable.add(List.of(oldest));
            }
        }
        return without;
    }

    private boolean loses(PendingOutcome oldest, List<PendingOutcome> without, Throwable reason) {
        try {
            if (!writer.writable(oldest.resultLength())) {
                return false;
            }
            without.add(oldest.withoutResult(OutcomeWriter.notRecorded(oldest.outcome(), reason)));
        } catch (RuntimeException | Error e) {
            return false; // no memory, perhaps: it keeps its result until later
        }
        unwritten.removeResult(oldest.resultLength());
        return true;
    }
}
