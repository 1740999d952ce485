package dev.rowlock.queue.internal.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Outcomes that cannot be written for now and must not hold up the others. All of them are tried again together, more and more
 * rarely; more of them do not postpone that. One thread.
 */
final class OutcomesApart {

    private final Backoff backoff;
    private List<PendingOutcome> entries = new ArrayList<>();
    private long retryAt; // monotonic

    OutcomesApart(Duration shortest, Duration longest) {
        this.backoff = new Backoff(shortest, longest);
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    int size() {
        return entries.size();
    }

    void add(List<PendingOutcome> more) {
        if (isEmpty() && !more.isEmpty()) {
            planRetry();
        }
        entries.addAll(more);
    }

    private void planRetry() {
        retryAt = System.nanoTime() + backoff.next().toNanos();
    }

    /** Whether it is time to try them again. */
    boolean due() {
        return !isEmpty() && nanosUntilDue() <= 0;
    }

    long nanosUntilDue() {
        return retryAt - System.nanoTime();
    }

    /** Takes them out, to be tried again; those that still cannot be written come back by {@link #add}. */
    List<PendingOutcome> take() {
        List<PendingOutcome> taken = entries;
        entries = new ArrayList<>();
        return taken;
    }

    /** They have been tried again: the next ones that come are the first, unless some came back. */
    void tried() {
        if (isEmpty()) {
            backoff.reset();
        }
    }
}
