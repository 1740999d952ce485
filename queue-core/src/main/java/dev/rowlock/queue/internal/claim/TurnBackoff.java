package dev.rowlock.queue.internal.claim;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a node that was not in turn waits before it asks again. Refused time and again it waits longer: whoever has just
 * claimed is then the one that claims next, unless it has enough. Fifty nodes in turn would each touch the same pages, and
 * to a backend each page that others have written is new. One thread at a time.
 */
final class TurnBackoff {

    /** By chance within this, for each node that there is: the more wait, the less each asks. */
    private static final Duration WITHIN = Duration.ofMillis(6);

    /** At most so many times as long as after the first refusal. */
    private static final int LONGEST = 16;

    private int factor = 1;

    /**
     * One wait.
     *
     * @param sure not to be cut short
     * @param more may be cut short
     */
    record Wait(Duration sure, Duration more) {}

    /** It was in turn. */
    void over() {
        factor = 1;
    }

    /** It was refused once more. */
    Wait next(int nodes) {
        return next(nodes, ThreadLocalRandom.current().nextDouble());
    }

    /** @param chance from 0 to 1 */
    Wait next(int nodes, double chance) {
        Duration sure = Duration.ofNanos((long) (nodes * chance * WITHIN.toNanos()));
        Duration more = sure.multipliedBy(factor - 1L);
        factor = Math.min(2 * factor, LONGEST);
        return new Wait(sure, more);
    }
}
