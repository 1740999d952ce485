package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.FetchSettings;
import dev.rowlock.queue.spi.LeaseSettings;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.spi.WorkerSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The properties as the settings of the parts, which check them. */
final class RowlockSettings {

    private RowlockSettings() {}

    static Schema schema(RowlockProperties properties) {
        return checked("rowlock.schema", () -> new Schema(properties.schema().name()));
    }

    static RetryPolicy retry(RowlockProperties properties) {
        RowlockProperties.Retry retry = properties.retry();
        return checked("rowlock.retry", () -> {
            RetryPolicy policy = RetryPolicy.exponential(
                            retry.initialInterval(), retry.multiplier(), retry.maxInterval())
                    .jitter(retry.jitter());
            if (retry.maxRetries() != null) {
                policy = policy.maxRetries(retry.maxRetries());
            }
            return retry.giveUpAfter() == null ? policy : policy.giveUpAfter(retry.giveUpAfter());
        });
    }

    static NodeSettings node(RowlockProperties properties, boolean virtualThreads) {
        return new NodeSettings(
                checked("rowlock.worker", () -> worker(properties, virtualThreads)),
                checked("rowlock.worker", () -> lease(properties.worker())),
                checked("rowlock.retention", () -> retention(properties.retention())),
                retry(properties),
                properties.payload().maxSize().toBytes(),
                properties.notifications().enabled());
    }

    private static WorkerSettings worker(RowlockProperties properties, boolean virtualThreads) {
        RowlockProperties.Worker worker = properties.worker();
        return new WorkerSettings(
                worker.concurrency(),
                concurrencies(properties.queues()),
                new FetchSettings(worker.pollInterval(), worker.prefetchHorizon(), worker.maxPrefetch()),
                worker.drainTimeout(),
                virtualThreads);
    }

    private static Map<String, Integer> concurrencies(Map<String, RowlockProperties.Queue> queues) {
        Map<String, Integer> concurrencies = new HashMap<>();
        queues.forEach((name, queue) -> {
            if (queue.concurrency() != null) {
                concurrencies.put(Names.queue(name), queue.concurrency());
            }
        });
        return concurrencies;
    }

    private static LeaseSettings lease(RowlockProperties.Worker worker) {
        String name = worker.nodeName() != null ? worker.nodeName() : NodeName.ofThisProcess();
        return new LeaseSettings(name, worker.lease(), worker.heartbeat(), worker.maxCrashes());
    }

    private static RetentionSettings retention(RowlockProperties.Retention retention) {
        return new RetentionSettings(retention.done(), retention.dead());
    }

    private static <T> T checked(String prefix, Supplier<T> settings) {
        try {
            return settings.get();
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(prefix, e);
        }
    }
}
