package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.thread.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes that cannot be written for now and must not hold up the others. All of them are tried again together, more and more
 * rarely; more of them do not postpone that. One thread.
 */
final class DelayedOutcomes {

    private final Backoff backoff;
    private List<PendingOutcome> entries = new ArrayList<>();
    private long results; // of the entries, in characters
    private long retryAt; // monotonic

    DelayedOutcomes(Duration shortest, Duration longest) {
        this.backoff = new Backoff(shortest, longest);
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    int size() {
        return entries.size();
    }

    /** How many characters their results have. */
    long results() {
        return results;
    }

    void add(List<PendingOutcome> more) {
        if (isEmpty() && !more.isEmpty()) {
            planRetry();
        }
        entries.addAll(more);
        more.forEach(entry -> results += entry.resultLength());
    }

    private void planRetry() {
        retryAt = System.nanoTime() + backoff.next().toNanos();
    }

    /** Whether it is time to try them again. */
    boolean due() {
        return !isEmpty() && nanosUntilDue() <= 0;
    }

    /** Where there are none, a very long time. */
    long nanosUntilDue() {
        return isEmpty() ? Long.MAX_VALUE : retryAt - System.nanoTime();
    }

    /** Takes out those that have been there for longest, to be tried again; what still cannot be written comes back by {@link #add}. */
    List<PendingOutcome> take(int most) {
        List<PendingOutcome> first = entries.subList(0, Math.min(most, entries.size()));
        List<PendingOutcome> taken = new ArrayList<>(first);
        first.clear();
        taken.forEach(entry -> results -= entry.resultLength());
        return taken;
    }

    /** Takes out the one that has been there for longest, of those with a result; null if there is none. */
    @Nullable
    PendingOutcome takeWithResult() {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).resultLength() > 0) {
                PendingOutcome taken = entries.remove(i);
                results -= taken.resultLength();
                return taken;
            }
        }
        return null;
    }

    /**
     * Those that were taken out have been tried.
     *
     * @param some whether some of them could be written: then so may be the others, at once
     */
    void tried(boolean some) {
        if (some || isEmpty()) {
            backoff.reset();
            retryAt = System.nanoTime();
        } else {
            planRetry();
        }
    }
}
