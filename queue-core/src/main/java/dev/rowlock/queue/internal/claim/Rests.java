package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.thread.Signal;
import java.time.Duration;

/** How long to wait before the next look. */
final class Rests {

    /** An idle queue is polled this much less often, where notifications arrive. */
    private static final int IDLE_FACTOR = 5;

    /** While somebody else fills the keys that a claim would fill. */
    private static final Duration BEHIND_OTHERS = Duration.ofMillis(10);

    private Rests() {}

    /** Until somebody else has filled the keys that a claim would fill. */
    static Duration behindOthers() {
        return Signal.jittered(BEHIND_OTHERS);
    }

    /** The poll interval; longer the more polls have found nothing, which count where notifications would tell. */
    static Duration idle(Duration pollInterval, int emptyPolls) {
        return Signal.jittered(pollInterval.multipliedBy(Math.min(IDLE_FACTOR, Math.max(1, emptyPolls))));
    }

    static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
