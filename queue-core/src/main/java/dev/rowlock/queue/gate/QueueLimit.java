package dev.rowlock.queue.gate;

import dev.rowlock.queue.job.Names;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a queue may run, how fast they may begin, and in which order, over all nodes.
 * {@code QueueLimit.of("mail").maxRunning(10).ratePerKey(Rate.perMinute(100))}. A job must satisfy all that is said.
 * Start from {@link #of}: later releases may add parameters to the constructor.
 *
 * @param maxRunning of the whole queue; null: as many as its nodes have threads
 * @param maxRunningPerKey of each {@linkplain dev.rowlock.queue.job.JobOptions#key(String) key}; null: no limit. Jobs without a key
 *     are not counted
 * @param burstPerKey so many of each key while threads, and places of {@code maxRunning}, are idle: as long as no other key that
 *     is below {@code maxRunningPerKey} has a job ready for the place. Places that were borrowed come back when their jobs end:
 *     nobody is interrupted. More than {@code maxRunningPerKey}; null: no more than that
 * @param rate of the whole queue; null: no limit
 * @param ratePerKey of each key; null: no limit
 * @param inOrder jobs of a key run one after the other, in the order of their enqueues, also over retries and snoozes, and this is what
 *     becomes of them when one is dead; null: in no strict order
 */
public record QueueLimit(
        String queue,
        @Nullable Integer maxRunning,
        @Nullable Integer maxRunningPerKey,
        @Nullable Integer burstPerKey,
        @Nullable Rate rate,
        @Nullable Rate ratePerKey,
        @Nullable AfterFailure inOrder) {

    public QueueLimit {
        queue = Names.queue(queue);
        requirePositive("maxRunning", maxRunning);
        requirePositive("maxRunningPerKey", maxRunningPerKey);
        if (inOrder != null && maxRunningPerKey != null && maxRunningPerKey > 1) {
            throw new IllegalArgumentException("jobs of a key cannot run in order and %d at once: remove one of the two"
                    .formatted(maxRunningPerKey));
        }
        requireBurst(burstPerKey, maxRunningPerKey, inOrder);
    }

    /** No limit yet. */
    public static QueueLimit of(String queue) {
        return new QueueLimit(queue, null, null, null, null, null, null);
    }

    /** So many jobs of the queue at once. */
    public QueueLimit maxRunning(int most) {
        return new QueueLimit(queue, most, maxRunningPerKey, burstPerKey, rate, ratePerKey, inOrder);
    }

    /** So many jobs of each key at once. */
    public QueueLimit maxRunningPerKey(int most) {
        return new QueueLimit(queue, maxRunning, most, burstPerKey, rate, ratePerKey, inOrder);
    }

    /** So many jobs of each key at once while places are idle. After {@link #maxRunningPerKey(int)}, which it exceeds. */
    public QueueLimit burstPerKey(int most) {
        return new QueueLimit(queue, maxRunning, maxRunningPerKey, most, rate, ratePerKey, inOrder);
    }

    /** So many jobs of the queue begin in a time. */
    public QueueLimit rate(Rate most) {
        return new QueueLimit(queue, maxRunning, maxRunningPerKey, burstPerKey, most, ratePerKey, inOrder);
    }

    /** So many jobs of each key begin in a time. */
    public QueueLimit ratePerKey(Rate most) {
        return new QueueLimit(queue, maxRunning, maxRunningPerKey, burstPerKey, rate, most, inOrder);
    }

    /** Jobs of a key run one after the other. */
    public QueueLimit inOrder(AfterFailure afterFailure) {
        return new QueueLimit(queue, maxRunning, maxRunningPerKey, burstPerKey, rate, ratePerKey, afterFailure);
    }

    private static void requireBurst(@Nullable Integer burst, @Nullable Integer limit, @Nullable AfterFailure inOrder) {
        if (burst == null) {
            return;
        }
        if (inOrder != null) {
            throw new IllegalArgumentException(
                    "jobs of a key cannot run in order and with a burst of %d: remove one of the two".formatted(burst));
        }
        if (limit == null) {
            throw new IllegalArgumentException(
                    "a burst per key of %d needs a lower limit per key, and there is none: set one (maxRunningPerKey, max-running-per-key), or remove the burst"
                            .formatted(burst));
        }
        if (burst <= limit) {
            throw new IllegalArgumentException(
                    "a burst per key of %d is not allowed: it must be more than the limit per key, which is %d"
                            .formatted(burst, limit));
        }
    }

    private static void requirePositive(String what, @Nullable Integer limit) {
        if (limit != null && limit < 1) {
            throw new IllegalArgumentException(
                    "a limit %s of %d is not allowed: it is at least 1; to run nothing, pause the queue"
                            .formatted(what, limit));
        }
    }

    /** Such as {@code mail: maxRunning=5, inOrder=hold}. */
    @Override
    public String toString() {
        Map<String, @Nullable Object> set = new LinkedHashMap<>();
        set.put("maxRunning", maxRunning);
        set.put("maxRunningPerKey", maxRunningPerKey);
        set.put("burstPerKey", burstPerKey);
        set.put("rate", rate);
        set.put("ratePerKey", ratePerKey);
        set.put("inOrder", inOrder == null ? null : inOrder.label());
        set.values().removeIf(Objects::isNull);
        return queue + ": "
                + (set.isEmpty()
                        ? "no limit"
                        : set.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(", ")));
    }
}
