package dev.rowlock.queue.settings;

import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.Map;

/**
 * How this node runs jobs.
 *
 * @param concurrency jobs that a queue runs at once on this node where neither listener nor {@code queues} says
 * @param queues jobs that the named queues run at once on this node, whatever their listeners say
 * @param drainTimeout how long a shutdown waits for running handlers before it interrupts them; 0 to 1 h
 * @param virtualThreads whether handlers run on virtual threads (JDK 21 or later)
 */
public record WorkerSettings(
        int concurrency,
        Map<String, Integer> queues,
        FetchSettings fetch,
        Duration drainTimeout,
        boolean virtualThreads) {

    /** Ten at once per queue, platform threads, 20 s to drain. */
    public static final WorkerSettings DEFAULT =
            new WorkerSettings(10, Map.of(), FetchSettings.DEFAULT, Duration.ofSeconds(20), false);

    public WorkerSettings {
        validConcurrency("rowlock.worker.concurrency", concurrency);
        queues.forEach((queue, value) -> validConcurrency("queue '" + queue + "': concurrency", value));
        queues = Map.copyOf(queues);
        if (drainTimeout.isNegative() || drainTimeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException(
                    "drain-timeout %s must lie between 0 and 1 h".formatted(DurationText.of(drainTimeout)));
        }
    }

    public WorkerSettings withConcurrency(int jobs) {
        return new WorkerSettings(jobs, queues, fetch, drainTimeout, virtualThreads);
    }

    public WorkerSettings withFetch(FetchSettings settings) {
        return new WorkerSettings(concurrency, queues, settings, drainTimeout, virtualThreads);
    }

    public WorkerSettings withDrainTimeout(Duration timeout) {
        return new WorkerSettings(concurrency, queues, fetch, timeout, virtualThreads);
    }

    public WorkerSettings withVirtualThreads() {
        return new WorkerSettings(concurrency, queues, fetch, drainTimeout, true);
    }

    private static void validConcurrency(String what, int value) {
        if (value < 1 || value > ListenerDefinition.MAX_CONCURRENCY) {
            throw new IllegalArgumentException(
                    "%s %d must lie between 1 and %d".formatted(what, value, ListenerDefinition.MAX_CONCURRENCY));
        }
    }
}
