package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.thread.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Outcomes whose jobs somebody else has locked. They must not hold up the others: somebody looks from time to time whether they are free, more and
 * more rarely; more of them do not postpone that. One thread.
 */
final class BlockedOutcomes {

    private final Backoff backoff;
    private List<PendingOutcome> entries = new ArrayList<>();
    private long results; // of the entries, in characters
    private long retryAt; // monotonic

    BlockedOutcomes(Duration shortest, Duration longest) {
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
            planRetry(0);
        }
        entries.addAll(more);
        more.forEach(entry -> results += entry.resultLength());
    }

    private void planRetry(long shortest) {
        retryAt = System.nanoTime() + Math.max(shortest, backoff.next().toNanos());
    }

    /** Whether it is time to try them again. */
    boolean due() {
        return !isEmpty() && nanosUntilDue() <= 0;
    }

    /** Where there are none, a very long time. */
    long nanosUntilDue() {
        return isEmpty() ? Long.MAX_VALUE : retryAt - System.nanoTime();
    }

    /** Takes all of them out; those that are still locked come back by {@link #add}. */
    List<PendingOutcome> takeAll() {
        List<PendingOutcome> taken = entries;
        entries = new ArrayList<>();
        results = 0;
        return taken;
    }

    /** Those that were taken out have been looked at, which took so long. */
    void tried(Duration took) {
        if (isEmpty()) {
            backoff.reset();
        } else {
            planRetry(OutcomesAside.pauseAfter(took));
        }
    }
}
