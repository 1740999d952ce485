package dev.rowlock.queue.gate;

import dev.rowlock.queue.job.Names;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a queue may run at once, over all nodes. {@code QueueLimit.of("mail").maxRunning(10).maxRunningPerKey(1)}.
 *
 * @param maxRunning of the whole queue; null: as many as its nodes have threads
 * @param maxRunningPerKey of each {@linkplain dev.rowlock.queue.job.JobOptions#key(String) key}; null: no limit. Jobs without a key
 *     are not counted
 */
public record QueueLimit(
        String queue,
        @Nullable Integer maxRunning,
        @Nullable Integer maxRunningPerKey) {

    public QueueLimit {
        queue = Names.queue(queue);
        requirePositive("maxRunning", maxRunning);
        requirePositive("maxRunningPerKey", maxRunningPerKey);
    }

    /** No limit yet. */
    public static QueueLimit of(String queue) {
        return new QueueLimit(queue, null, null);
    }

    /** So many jobs of the queue at once. */
    public QueueLimit maxRunning(int most) {
        return new QueueLimit(queue, most, maxRunningPerKey);
    }

    /** So many jobs of each key at once. */
    public QueueLimit maxRunningPerKey(int most) {
        return new QueueLimit(queue, maxRunning, most);
    }

    private static void requirePositive(String what, @Nullable Integer limit) {
        if (limit != null && limit < 1) {
            throw new IllegalArgumentException(
                    "a limit %s of %d is not allowed: it is at least 1; to run nothing, pause the queue"
                            .formatted(what, limit));
        }
    }
}
