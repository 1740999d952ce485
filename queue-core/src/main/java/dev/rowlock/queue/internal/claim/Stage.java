package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.claim.key.RunTimeShares;

/**
 * Who may have jobs in a claim of jobs with keys.
 *
 * @param borrows keys up to their burst
 * @param reach how far ahead keys may be that share run time, up to {@link RunTimeShares#FURTHEST}
 */
record Stage(boolean borrows, int reach) {

    /** Whoever is below its own limit and not ahead. */
    static final Stage FIRST = new Stage(false, 0);

    static final Stage BORROWING = new Stage(true, 0);

    Stage further() {
        return new Stage(borrows, reach + 1);
    }
}
