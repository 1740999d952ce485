package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.job.RetryPolicy;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What counts for annotated listeners that say nothing.
 *
 * @param queue the queue where neither listener nor payload names one
 * @param retry when jobs run again after a failed attempt
 * @param queues the same and more for listeners of single queues, by name
 */
public record ListenerDefaults(String queue, RetryPolicy retry, Map<String, OfQueue> queues) {

    /**
     * For the listeners of one queue.
     *
     * @param retry null: as for all
     * @param timeout null: no limit
     */
    public record OfQueue(
            @Nullable RetryPolicy retry, @Nullable Duration timeout) {}

    private static final OfQueue NONE = new OfQueue(null, null);

    public ListenerDefaults {
        queues = Map.copyOf(queues);
    }

    /** For the queue {@code default} and this policy. */
    public static ListenerDefaults of(RetryPolicy retry) {
        return new ListenerDefaults(JobTemplate.DEFAULT_QUEUE, retry, Map.of());
    }

    RetryPolicy retryIn(String queueName) {
        RetryPolicy own = queues.getOrDefault(queueName, NONE).retry();
        return own != null ? own : retry;
    }

    @Nullable
    Duration timeoutIn(String queueName) {
        return queues.getOrDefault(queueName, NONE).timeout();
    }
}
