package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.thread.ClockWatch;
import dev.rowlock.queue.internal.thread.CostBudget;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The position from which the dispatcher reads the table waiting. Thread-safe; times are monotonic, in nanoseconds.
 *
 * <p>A look goes on shortly before the time of the last one, so it does not walk the index entries of jobs already gone; while
 * some transaction holds back vacuum there may be millions of them. What becomes visible before that place is found in two ways:
 *
 * <ul>
 *   <li>a wake-up that says when its job is due: the next look begins {@link #OVERLAP} before that time;
 *   <li>all else (wake-ups that got lost, jobs that somebody had locked, a clock that was set back): from the front. Looks there may
 *       cost all nodes together at most {@link #SHARE} of the time, but there is one a minute. A wake-up of this process that
 *       cannot say when its job is due calls for one within the share of its node alone.
 * </ul>
 */
final class DueCursor {

    /** The share of time that looks from the front may take, those of all nodes together. */
    static final double SHARE = 0.05;

    /** By so much may jobs become visible after they are due. Only entries of so short a time are walked over again. */
    static final Duration OVERLAP = Duration.ofMillis(100);

    /** There is one look from the front in this time, by whichever node, whatever it costs. */
    static final Duration AT_THE_LATEST = Duration.ofMinutes(1);

    private static final long NEVER = Duration.ofDays(365).toNanos();

    private final IntSupplier nodes;
    private final CostBudget looks; // from the front
    private final ClockWatch clock = new ClockWatch();
    private DuePosition position = DuePosition.FRONT; // guarded by this, as all below
    private DuePosition until = DuePosition.FRONT; // the server's time of the last look
    private long lookedAt; // and ours
    private long frontAt; // of the last look from the front
    private @Nullable Long heard; // since the last look has begun: when the first of those jobs is due
    private boolean overdue; // heard of a job that may be due for long
    private boolean front; // the look under way, or the last one
    private boolean forget; // where the last looks ended

    /** @param nodes how many share what looks from the front may take: what one of them finds, the others need not look for */
    DueCursor(IntSupplier nodes, long now) {
        this.nodes = nodes;
        this.looks = new CostBudget(chance -> overdue ? SHARE : SHARE / nodes.getAsInt(), now);
        this.frontAt = now;
        this.lookedAt = now;
    }

    /** A job is due at this time. */
    synchronized void heard(long at) {
        heard = heard == null || at - heard < 0 ? Long.valueOf(at) : heard;
    }

    /** A job of this process may be due for long. */
    synchronized void overdue() {
        overdue = true;
    }

    /** Where the last looks ended says nothing any more: a look has failed. */
    synchronized void forget() {
        forget = true;
    }

    /** Behind which place to look now. */
    synchronized DuePosition next(long now) {
        DuePosition from = position;
        if (heard != null) {
            DuePosition due = until.earlier(Duration.ofNanos(lookedAt - heard).plus(OVERLAP));
            from = due.compareTo(from) < 0 ? due : from;
        }
        front = forget || untilFront(now) == 0 || from.equals(DuePosition.FRONT);
        heard = null;
        if (front) {
            forget = false;
            overdue = false;
        }
        return front ? DuePosition.FRONT : from;
    }

    /** The look is over. */
    synchronized void looked(DispatchDueJobs.Result result, boolean full, long now) {
        boolean wentBack = result.until().compareTo(until) < 0; // also by less than the watch takes for a step
        until = result.until();
        boolean setBack =
                wentBack | clock.setBack(until.time(), now - result.took().toNanos()); // the watch must be told
        forget |= setBack && !front; // where this look began may lie in the future
        lookedAt = now;
        position = full ? Objects.requireNonNull(result.last()) : until.earlier(OVERLAP);
        if (front) {
            frontAt = now;
            looks.took(result.took(), now);
        }
    }

    /** How long until a look from the front is due, if the last one was not. */
    synchronized Duration untilNextLook(long now) {
        if (forget) {
            return Duration.ZERO;
        }
        return Duration.ofNanos(front && !overdue ? NEVER : untilFront(now));
    }

    private long untilFront(long now) {
        long latest = Math.max(
                0, frontAt + AT_THE_LATEST.multipliedBy(nodes.getAsInt()).toNanos() - now);
        return Math.min(latest, looks.allowedIn(now));
    }
}
