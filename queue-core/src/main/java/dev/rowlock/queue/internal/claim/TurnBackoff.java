package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.thread.Signal;
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
     * @param sure not to be cut short: where many nodes claim, there are many wake-ups
     * @param more may be cut short by one
     */
    record Wait(Duration sure, Duration more) {}

    /** It was in turn. */
    void over() {
        factor = 1;
    }

    /** It was refused once more: lets the sure part of the wait pass, and returns the other one. */
    Duration await(int nodes) {
        Wait wait = next(nodes, ThreadLocalRandom.current().nextDouble());
        try {
            Signal.pause(wait.sure());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return wait.more();
    }

    /** @param chance from 0 to 1 */
    Wait next(int nodes, double chance) {
        Duration sure = Duration.ofNanos((long) (nodes * chance * WITHIN.toNanos()));
        Duration more = sure.multipliedBy(factor - 1L);
        factor = Math.min(2 * factor, LONGEST);
        return new Wait(sure, more);
    }
}
