package dev.rowlock.queue.internal.policy;

import dev.rowlock.queue.internal.policy.PolicyStatements.Page;
import dev.rowlock.queue.internal.policy.PolicyStatements.Place;
import dev.rowlock.queue.internal.thread.CostBudget;
import java.time.Duration;

/**
 * The position from which a policy's waiting jobs are read. Jobs of paused types may stand at the front in any number, and each read from the front walks over them. So where that takes long, reads from the front take a share of the time, and others begin at the first job that is not paused, as the last read from the front found it. Meanwhile a job in front of it waits for the next read from the front: one that is more urgent, or one whose type was paused.
 *
 * <p>Used by one thread at a time.
 */
final class PolicyCursor {

    /** Looks from the front take this share of the time, at most. */
    private static final double SHARE = 0.1;

    /** A look from the front that takes no longer needs no budget. */
    private static final Duration QUICK = Duration.ofMillis(5);

    private final CostBudget fronts;
    private Place first = Place.FRONT;

    PolicyCursor(long now) {
        fronts = new CostBudget(chance -> SHARE, now);
    }

    /** Whether there is anything to look at: from the front it may be too early, and nothing else is known. */
    boolean mayLook(long now) {
        return !first.equals(Place.FRONT) || frontAllowed(now);
    }

    Place begin(long now) {
        return frontAllowed(now) ? Place.FRONT : first;
    }

    private boolean frontAllowed(long now) {
        return fronts.apart(1).compareTo(QUICK) <= 0 || fronts.allowedIn(now) == 0;
    }

    /** A look from there has found this page. */
    void looked(Place from, Page page, Duration took, long now) {
        if (from.equals(Place.FRONT)) {
            fronts.took(took, now);
            first = page.jobs().isEmpty() ? first : page.before();
        }
    }
}
