package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.thread.Backoff;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes that cannot be written although others can. Each is tried again by itself: first those that never were, then those that have
 * waited for longest. As long as none of them can be written, the tries take a small part of the time. One thread.
 */
final class OutcomesAside {

    /** The pause after tries in vain is so many times as long as they were, and no longer than the next. */
    private static final int PAUSES = 10;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Backoff backoff = new Backoff(SHORTEST, LONGEST);
    private final Deque<PendingOutcome> untried = new ArrayDeque<>(); // by themselves
    private final Deque<PendingOutcome> refused = new ArrayDeque<>(); // when each was tried by itself
    private int leftInRound; // the pause grows from round to round, not from one look to the next
    private long results; // in characters
    private long retryAt; // monotonic

    boolean isEmpty() {
        return untried.isEmpty() && refused.isEmpty();
    }

    int size() {
        return untried.size() + refused.size();
    }

    /** How many could not be written when they were tried by themselves. */
    int refused() {
        return refused.size();
    }

    /** How many characters their results have. */
    long results() {
        return results;
    }

    /** One of those that could not be written by themselves. */
    PendingOutcome example() {
        return refused.getLast();
    }

    /** Outcomes that could not be written together with others: they are tried soon. */
    void add(List<PendingOutcome> entries) {
        if (entries.isEmpty()) {
            return;
        }
        long soon = System.nanoTime() + SHORTEST.toNanos();
        if (isEmpty() || soon - retryAt < 0) {
            retryAt = soon;
        }
        untried.addAll(entries);
        entries.forEach(entry -> results += entry.resultLength());
    }

    /** An outcome that could not be written by itself. */
    void addRefused(PendingOutcome entry) {
        if (isEmpty()) {
            pause(Duration.ZERO);
        }
        refused.add(entry);
        results += entry.resultLength();
    }

    /** Whether it is time to try some again. */
    boolean due() {
        return !isEmpty() && nanosUntilDue() <= 0;
    }

    /** Where there are none, a very long time. */
    long nanosUntilDue() {
        return isEmpty() ? Long.MAX_VALUE : retryAt - System.nanoTime();
    }

    /** Something could be written again after nothing could: perhaps these can be as well. */
    void retryNow() {
        backoff.reset();
        retryAt = System.nanoTime();
    }

    /** Takes out the next to be tried; there must be one. */
    PendingOutcome take() {
        PendingOutcome next = untried.isEmpty() ? refused.remove() : untried.remove();
        leftInRound--;
        results -= next.resultLength();
        return next;
    }

    /** Takes out all. */
    List<PendingOutcome> takeAll() {
        List<PendingOutcome> all =
                Stream.of(refused, untried).flatMap(Deque::stream).toList();
        refused.clear();
        untried.clear();
        results = 0;
        return all;
    }

    /** Takes out the one that has been there for longest, of those with a result; null if there is none. */
    @Nullable
    PendingOutcome takeWithResult() {
        PendingOutcome found = takeWithResult(refused);
        return found != null ? found : takeWithResult(untried);
    }

    private @Nullable PendingOutcome takeWithResult(Deque<PendingOutcome> entries) {
        for (Iterator<PendingOutcome> each = entries.iterator(); each.hasNext(); ) {
            PendingOutcome entry = Objects.requireNonNull(each.next());
            if (entry.resultLength() > 0) {
                each.remove();
                results -= entry.resultLength();
                return entry;
            }
        }
        return null;
    }

    /**
     * Some were tried, which took so long.
     *
     * @param some whether any of them could be written: then perhaps so can the others, at once
     */
    void tried(boolean some, Duration took) {
        if (some || isEmpty()) {
            retryNow();
        } else {
            pause(took);
        }
    }

    /** How long the recorder looks after other outcomes, in nanoseconds, after it has tried in vain for so long. */
    static long pauseAfter(Duration took) {
        return Math.min(PAUSES * took.toNanos(), LONGEST_PAUSE.toNanos());
    }

    private void pause(Duration took) {
        long wait = pauseAfter(took);
        if (leftInRound <= 0) {
            leftInRound = size();
            wait = Math.max(wait, backoff.next().toNanos());
        }
        retryAt = System.nanoTime() + wait;
    }
}
