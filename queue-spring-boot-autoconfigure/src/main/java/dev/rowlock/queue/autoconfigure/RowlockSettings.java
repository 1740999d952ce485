package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.autoconfigure.failure.InvalidSettingException;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LateAfter;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.QueuePatterns;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.SearchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spring.ListenerDefaults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The properties as the settings of the parts, which check them. */
final class RowlockSettings {

    /** Instead of a key's id. */
    private static final String NO_KEY = "none";

    private RowlockSettings() {}

    static SchemaMigrator migrator(RowlockProperties properties, DataSource dataSource) {
        return checked(
                "rowlock.schema",
                () -> new SchemaMigrator(
                        dataSource,
                        properties.schema().name(),
                        properties.schema().mode()));
    }

    /** All that properties say. The tables are prepared elsewhere. */
    static RowlockBuilder builder(RowlockProperties properties, DataSource dataSource, boolean virtualThreads) {
        RowlockBuilder builder = Rowlock.builder(dataSource)
                .schemaElsewhere()
                .worker(worker(properties, virtualThreads))
                .lease(lease(properties))
                .retention(retention(properties))
                .search(search(properties))
                .retry(retry(properties))
                .lateAfter(lateAfter(properties))
                .notifications(properties.notifications().enabled())
                .keepAlive(properties.worker().keepAlive())
                .autoStartup(properties.worker().autoStartup())
                .schedulesRecurring(properties.worker().recurring())
                .defaultQueue(defaultQueue(properties))
                .queues(queues(properties));
        limits(properties).forEach(builder::limit);
        EncryptionKeys keys = encryption(properties);
        if (keys != null) {
            builder.encryption(keys);
        }
        checked(
                "rowlock.payload",
                () -> builder.maxPayload(properties.payload().maxSize().toBytes()));
        return checked(
                "rowlock.schema", () -> builder.schema(properties.schema().name()));
    }

    /** Null: nothing is set. */
    static @Nullable EncryptionKeys encryption(RowlockProperties properties) {
        RowlockProperties.Encryption encryption = properties.encryption();
        String current = encryption.current();
        if (encryption.keys().isEmpty() && current == null) {
            return null;
        }
        return checked("rowlock.encryption", () -> {
            if (current == null) {
                throw new IllegalArgumentException(
                        "there are keys, and current names none of them: set it to one of %s, or to %s to decrypt only"
                                .formatted(new TreeSet<>(encryption.keys().keySet()), NO_KEY));
            }
            Map<String, byte[]> keys = new TreeMap<>();
            encryption.keys().forEach((id, base64) -> keys.put(id, decoded(id, base64)));
            return EncryptionKeys.of(NO_KEY.equals(current) ? null : current, keys);
        });
    }

    /** Nothing of the key is in the error. */
    private static byte[] decoded(String id, String base64) {
        try {
            return Base64.getDecoder().decode(base64.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "keys.%s, of %d characters, is no base64: 'openssl rand -base64 32' makes a key"
                            .formatted(id, base64.length()));
        }
    }

    static SearchSettings search(RowlockProperties properties) {
        return checked(
                "rowlock.search", () -> new SearchSettings(properties.search().timeLimit()));
    }

    static LateAfter lateAfter(RowlockProperties properties) {
        Map<String, Duration> queues = new HashMap<>();
        properties.queues().forEach((name, queue) -> {
            if (queue.lateAfter() != null) {
                queues.put(Names.queue(name), queue.lateAfter());
            }
        });
        return checked("rowlock", () -> new LateAfter(properties.lateAfter(), queues));
    }

    static RetryPolicy retry(RowlockProperties properties) {
        RowlockProperties.Retry retry = properties.retry();
        return checked(
                "rowlock.retry",
                () -> policy(new RowlockProperties.QueueRetry(
                        retry.maxRetries(),
                        retry.initialInterval(),
                        retry.multiplier(),
                        retry.maxInterval(),
                        retry.jitter(),
                        retry.giveUpAfter())));
    }

    private static RetryPolicy policy(RowlockProperties.QueueRetry retry) {
        RetryPolicy policy = RetryPolicy.exponential(
                        required(retry.initialInterval()), required(retry.multiplier()), required(retry.maxInterval()))
                .jitter(required(retry.jitter()));
        if (retry.maxRetries() != null) {
            policy = policy.maxRetries(retry.maxRetries());
        }
        return retry.giveUpAfter() == null ? policy : policy.giveUpAfter(retry.giveUpAfter());
    }

    private static <T> T required(@Nullable T value) {
        return Objects.requireNonNull(value, "has a default");
    }

    /** For listeners that say nothing. */
    static ListenerDefaults listeners(RowlockProperties properties) {
        Map<String, ListenerDefaults.OfQueue> queues = new HashMap<>();
        properties.queues().forEach((name, queue) -> queues.put(name, ofQueue(name, queue, properties.retry())));
        return new ListenerDefaults(defaultQueue(properties), retry(properties), queues);
    }

    private static ListenerDefaults.OfQueue ofQueue(
            String name, RowlockProperties.Queue queue, RowlockProperties.Retry forAll) {
        return checked("rowlock.queues." + name, () -> {
            Duration timeout = queue.timeout() == null ? null : JobOptions.validTimeout(queue.timeout());
            RowlockProperties.QueueRetry own = queue.retry();
            boolean silent = own.equals(new RowlockProperties.QueueRetry(null, null, null, null, null, null));
            return new ListenerDefaults.OfQueue(silent ? null : policy(merged(own, forAll)), timeout);
        });
    }

    private static RowlockProperties.QueueRetry merged(
            RowlockProperties.QueueRetry own, RowlockProperties.Retry forAll) {
        boolean silentAboutEnd = own.maxRetries() == null && own.giveUpAfter() == null;
        return new RowlockProperties.QueueRetry(
                silentAboutEnd ? forAll.maxRetries() : own.maxRetries(),
                own.initialInterval() != null ? own.initialInterval() : forAll.initialInterval(),
                own.multiplier() != null ? own.multiplier() : forAll.multiplier(),
                own.maxInterval() != null ? own.maxInterval() : forAll.maxInterval(),
                own.jitter() != null ? own.jitter() : forAll.jitter(),
                own.giveUpAfter() != null ? own.giveUpAfter() : forAll.giveUpAfter());
    }

    private static String defaultQueue(RowlockProperties properties) {
        return checked("rowlock.default-queue", () -> Names.queue(properties.defaultQueue()));
    }

    static QueuePatterns queues(RowlockProperties properties) {
        return checked(
                "rowlock.worker.queues",
                () -> new QueuePatterns(properties.worker().queues()));
    }

    static WorkerSettings worker(RowlockProperties properties, boolean virtualThreads) {
        RowlockProperties.Worker worker = properties.worker();
        return checked(
                "rowlock.worker",
                () -> new WorkerSettings(
                        worker.concurrency(),
                        concurrencies(properties.queues()),
                        new FetchSettings(worker.pollInterval(), worker.prefetchHorizon(), worker.maxPrefetch()),
                        worker.drainTimeout(),
                        virtualThreads));
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

    private static List<QueueLimit> limits(RowlockProperties properties) {
        List<QueueLimit> limits = new ArrayList<>();
        properties.queues().forEach((name, queue) -> {
            QueueLimit limit = checked(
                    "rowlock.queues." + name,
                    () -> new QueueLimit(
                            name,
                            queue.maxRunning(),
                            queue.maxRunningPerKey(),
                            queue.burstPerKey(),
                            queue.rate(),
                            queue.ratePerKey(),
                            queue.inOrder()));
            if (!limit.equals(QueueLimit.of(limit.queue()))) {
                limits.add(limit);
            }
        });
        return limits;
    }

    static LeaseSettings lease(RowlockProperties properties) {
        RowlockProperties.Worker worker = properties.worker();
        return checked("rowlock.worker", () -> {
            LeaseSettings byDefault = LeaseSettings.defaults();
            String name = worker.nodeName() != null ? worker.nodeName() : byDefault.nodeName();
            return new LeaseSettings(name, worker.lease(), worker.heartbeat(), worker.maxCrashes());
        });
    }

    static RetentionSettings retention(RowlockProperties properties) {
        RowlockProperties.Retention retention = properties.retention();
        return checked(
                "rowlock.retention",
                () -> new RetentionSettings(retention.done(), retention.dead(), retention.audit()));
    }

    static <T> T checked(String prefix, Supplier<T> settings) {
        try {
            return settings.get();
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(prefix, e);
        }
    }
}
