package dev.rowlock.queue.internal.record;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Outcomes that wait apart, so that they hold up no others: those of jobs whose rows somebody else has locked, and those that cannot be written
 * although others can. Each is tried again by itself, after a pause that doubles with each try; and tries in vain take a small part of the time,
 * however many there are. One thread.
 *
 * <p>An outcome stays in here until it is {@linkplain #settle settled}, so that no error between two steps forgets it.
 */
final class LaterOutcomes {

    /** The pause after tries in vain is so many times as long as they were. */
    private static final int PAUSES = 10;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    static final Duration SHORTEST = Duration.ofMillis(100);

    /** An outcome that was refused is tried as often. */
    private static final Duration LONGEST = Duration.ofSeconds(2);

    /** A row that was locked is looked at as often: that is cheap, and locks are short. */
    private static final Duration LONGEST_LOCKED = Duration.ofSeconds(1);

    /** Why an outcome waits. */
    enum Reason {
        /** It failed together with others, or with all: nothing is known of it by itself. */
        UNTRIED,
        LOCKED,
        /** Not even a plain error could be written in its place. */
        REFUSED
    }

    /** One of them. */
    static final class Later {

        private PendingOutcome outcome;
        private Reason reason;
        private int tries;
        private long dueAt; // monotonic
        private boolean settled;

        private Later(PendingOutcome outcome, Reason reason) {
            this.outcome = outcome;
            this.reason = reason;
        }

        PendingOutcome outcome() {
            return outcome;
        }

        String type() {
            return outcome.job().type();
        }

        boolean isLocked() {
            return reason == Reason.LOCKED;
        }

        boolean isUntried() {
            return reason == Reason.UNTRIED;
        }

        boolean isRefused() {
            return reason == Reason.REFUSED;
        }
    }

    private final List<Later> entries = new ArrayList<>(); // the oldest first
    private final Map<String, Integer> failures = new HashMap<>(); // of each type, since one was written
    private final Comparator<Later> likeliest = Comparator.<Later>comparingInt(
                    entry -> failures.getOrDefault(entry.type(), 0))
            .thenComparingInt(entry -> entry.tries);
    private long results; // characters
    private long refusedAt = System.nanoTime(); // none that was refused is tried before
    private long anyAt = refusedAt; // none at all is tried before

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

    /** How many could not be written when they were tried by themselves. */
    int refused() {
        return (int) entries.stream().filter(Later::isRefused).count();
    }

    /** The latest of those; null: there is none. */
    @Nullable
    PendingOutcome lastRefused() {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).isRefused()) {
                return entries.get(i).outcome;
            }
        }
        return null;
    }

    /** Whether outcomes of this type have been refused, each by itself, and none was written since. */
    boolean refuses(String type) {
        return failures.containsKey(type);
    }

    void add(List<PendingOutcome> outcomes, Reason reason) {
        for (PendingOutcome outcome : outcomes) {
            Later entry = new Later(outcome, reason);
            plan(entry);
            entries.add(entry);
            results += outcome.resultLength();
        }
    }

    /** How long until some are to be tried; with none a very long time, at once zero or less. In nanoseconds. */
    long nanosUntilDue() {
        if (entries.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long now = System.nanoTime();
        return entries.stream().mapToLong(entry -> dueIn(entry, now)).min().orElse(0);
    }

    /**
     * Those that are to be tried now, in the order in which they should be: first those of types that failed least often, of these what was tried least
     * often, of these what waits for longest. What cannot be written most often is of one type, and must not keep the others from their turn.
     */
    List<Later> due() {
        long now = System.nanoTime();
        return entries.stream()
                .filter(entry -> dueIn(entry, now) <= 0)
                .sorted(likeliest)
                .toList();
    }

    private long dueIn(Later entry, long now) {
        long wait = Math.max(entry.dueAt - now, anyAt - now);
        return entry.isRefused() ? Math.max(wait, refusedAt - now) : wait;
    }

    /** All of them, in the same order. */
    List<Later> all() {
        return entries.stream().sorted(likeliest).toList();
    }

    /** It has been written, or its claim was lost. */
    void settle(Later entry) {
        entry.settled = true;
        failures.remove(entry.type());
    }

    /** It was tried, and is to be tried again. */
    void failed(Later entry, Reason reason) {
        entry.tries = entry.reason == reason ? entry.tries + 1 : 1;
        entry.reason = reason;
        if (reason == Reason.REFUSED) {
            failures.merge(entry.type(), 1, Integer::sum);
        }
        plan(entry);
    }

    private static void plan(Later entry) {
        Duration longest = entry.isLocked() ? LONGEST_LOCKED : LONGEST;
        long pause = SHORTEST.toNanos() << Math.min(entry.tries, 20);
        entry.dueAt = System.nanoTime() + Math.min(pause, longest.toNanos());
    }

    /** Something else is to be written in its place, without its result, and at once. */
    void replace(Later entry, PendingOutcome outcome) {
        results -= entry.outcome.resultLength() - outcome.resultLength();
        entry.outcome = outcome;
        entry.dueAt = System.nanoTime();
    }

    /**
     * A round of tries is over.
     *
     * @param hope whether one was written that had been refused: then perhaps so can the others, at once
     * @param inVain how long the tries took that brought nothing
     */
    void roundEnded(boolean hope, Duration inVain) {
        for (Later entry : entries) {
            results -= entry.settled ? entry.outcome.resultLength() : 0;
        }
        entries.removeIf(entry -> entry.settled);
        if (entries.isEmpty()) {
            failures.clear();
        }
        refusedAt = System.nanoTime() + Math.min(PAUSES * inVain.toNanos(), LONGEST_PAUSE.toNanos());
        if (hope) {
            retryNow();
        }
    }

    /** Not even an ordinary outcome: all of them wait a little. */
    void nothingCanBeWritten() {
        anyAt = System.nanoTime() + LONGEST.toNanos();
    }

    /** Outcomes can be written that could not: perhaps so can these. */
    void retryNow() {
        long now = System.nanoTime();
        refusedAt = now;
        anyAt = now;
        for (Later entry : entries) {
            if (!entry.isLocked()) {
                entry.tries = 0;
                entry.dueAt = now;
            }
        }
    }

    /** Takes out all. */
    List<PendingOutcome> takeAll() {
        List<PendingOutcome> all = entries.stream().map(Later::outcome).toList();
        entries.clear();
        failures.clear();
        results = 0;
        return all;
    }
}
