package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * How often a listener tries again and after which waits, for those who judge its jobs without it: another node's janitor has
 * neither the listener nor its policy.
 *
 * @param waits in milliseconds, by attempt, without jitter; the last one is for all further attempts
 */
record ListenerRetries(int maxRetries, List<Long> waits) {

    /** By then all usual policies have reached their longest wait. */
    private static final int MOST_WAITS = 20;

    static ListenerRetries of(RetryPolicy policy) {
        RetryPolicy exact = new RetryPolicy(
                policy.maxRetries(), policy.initialInterval(), policy.multiplier(), policy.maxInterval(), 0);
        List<Long> waits = new ArrayList<>();
        long wait = -1;
        long next = wait(exact, 1);
        while (next != wait && waits.size() < MOST_WAITS) {
            waits.add(next);
            wait = next;
            next = wait(exact, waits.size() + 1);
        }
        return new ListenerRetries(policy.maxRetries(), List.copyOf(waits));
    }

    private static long wait(RetryPolicy exact, int attempt) {
        return exact.backoff(attempt, ThreadLocalRandom.current()).toMillis();
    }

    /** As a JSON object by type. */
    static String json(Stream<ListenerDefinition> listeners) {
        Map<String, ListenerRetries> byType = new TreeMap<>();
        listeners.forEach(listener -> byType.put(listener.type(), of(listener.retry())));
        return JsonMapper.shared().writeValueAsString(byType);
    }
}
