package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.spi.NodeStatus.PolicyCounts;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;

/** A background task that runs again and again. */
public interface Chore {

    /** For logs; and what it is won by, if one node at a time does it for all. */
    String name();

    /** Does it once and returns how long to wait before the next time. */
    Duration runOnce();

    /** Makes a chore due, from any thread, as often as there is something to do. What comes during a run leads to another one. */
    interface Trigger {

        void within(Duration time);

        default void now() {
            within(Duration.ZERO);
        }
    }

    /** Called once, before its first run. */
    default void triggeredBy(Trigger trigger) {}

    /** Whether it is due at once after an operator has changed something. */
    default boolean dueAfterChange() {
        return false;
    }

    /** Called when an operator has changed something, from any thread, before it runs because of that. */
    default void changed() {}

    /** Whether it is due at once when the node begins to hear of changes, at its start or after a break: it may have missed some. */
    default boolean dueAfterConnect() {
        return dueAfterChange();
    }

    /** What a policy has answered, if it asks one. */
    default Optional<PolicyCounts> policy() {
        return Optional.empty();
    }

    /**
     * Logs that it has failed: when it fails after a success, and then each hour.
     *
     * @param again it is tried again each so long
     */
    default void tell(Logger log, Throwable failure, Duration again) {
        log.warn("chore '{}' failed; will retry each {}", name(), DurationText.of(again), failure);
    }

    /** How long ago the walk began that it last completed, if it walks through tables a stretch at a time. Called from any thread. */
    default Optional<Duration> behind() {
        return Optional.empty();
    }

    /** Whether its rest is exact. Otherwise it is up to a tenth longer, so that nodes that started together do not sweep together. */
    default boolean punctual() {
        return false;
    }

    /** How long to rest: so many times as long as the work that began then has taken, but a minute at most, and no less than the interval. */
    static Duration restAfter(long begunNanos, int restPerWork, Duration interval) {
        return restBehind(Duration.ofNanos(System.nanoTime() - begunNanos), restPerWork, interval);
    }

    /**
     * The same behind so much work. So chores that grow with the tables take a small share of the time. A rest has an end: work may have taken long for once,
     * because it waited for a lock, and what the chore does must not stop for hours because of that.
     */
    static Duration restBehind(Duration work, int restPerWork, Duration interval) {
        long rest = Math.min(Duration.ofMinutes(1).toNanos(), work.toNanos() * restPerWork);
        return Duration.ofNanos(Math.max(interval.toNanos(), rest));
    }
}
