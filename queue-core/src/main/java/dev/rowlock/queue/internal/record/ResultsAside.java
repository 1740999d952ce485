package dev.rowlock.queue.internal.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The results of outcomes that cannot be written: more than a node bears would fill its memory. Then those that have been aside
 * for longest lose theirs, and their jobs die. But not for want of disk or memory: only while a result as long can be written.
 * Recorder's thread only.
 */
final class ResultsAside {

    /** Beyond so many characters some lose theirs. */
    private static final long MOST = OutcomeBacklog.MANY_RESULTS / 2;

    private final OutcomesAside aside;
    private final OutcomeWriter writer;
    private final OutcomeBacklog unwritten;
    private boolean kept; // none as long can be written, no matter whose

    ResultsAside(OutcomesAside aside, OutcomeWriter writer, OutcomeBacklog unwritten) {
        this.aside = aside;
        this.writer = writer;
        this.unwritten = unwritten;
    }

    boolean tooMany() {
        return aside.results() > MOST && !kept;
    }

    /** Outcomes were tried again: perhaps results can be written now. */
    void tryAgain() {
        kept = false;
    }

    /**
     * Takes out outcomes that lose their results, and returns what is to be written instead. What it cannot replace stays aside.
     *
     * @param write writes the given one as it is, if by now that is possible
     * @param reason why it was not
     */
    List<PendingOutcome> giveUp(Predicate<PendingOutcome> write, Supplier<@Nullable Throwable> reason) {
        List<PendingOutcome> without = new ArrayList<>();
        while (tooMany()) {
            PendingOutcome oldest = Objects.requireNonNull(aside.takeWithResult());
            kept = !writable(oldest.resultLength()) || !write.test(oldest) && !loses(oldest, without, reason.get());
            if (kept) {
                aside.addRefused(oldest);
            }
        }
        return without;
    }

    private boolean writable(int length) {
        try {
            return writer.writable(length);
        } catch (RuntimeException | Error e) {
            return false; // no memory, perhaps: it keeps its result until later
        }
    }

    private boolean loses(PendingOutcome oldest, List<PendingOutcome> without, @Nullable Throwable reason) {
        try {
            without.add(oldest.withoutResult(OutcomeWriter.notRecorded(oldest.outcome(), reason)));
        } catch (RuntimeException | Error e) {
            return false;
        }
        unwritten.removeResult(oldest.resultLength());
        return true;
    }
}
