package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.failure.InvalidSettingException;
import dev.rowlock.queue.autoconfigure.property.QueueVariables;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Looks at listeners and settings together when jobs are about to be run: refuses what cannot work, warns of what will
 * disappoint.
 */
final class StartAdvice implements Consumer<List<ListenerDefinition>> {

    private static final Logger log = LoggerFactory.getLogger(StartAdvice.class);

    private static final Duration PHASE_DEFAULT = Duration.ofSeconds(30);

    /** What a stop may take beside the drain. */
    private static final Duration UNWIND = Duration.ofSeconds(10);

    private final Rowlock rowlock;
    private final RowlockProperties properties;
    private final ConfigurableEnvironment environment;
    private final ObjectProvider<DataSourcePoolMetadataProvider> pools;
    private final QueueVariables variables;

    StartAdvice(
            Rowlock rowlock,
            RowlockProperties properties,
            ConfigurableEnvironment environment,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            QueueVariables variables) {
        this.rowlock = rowlock;
        this.properties = properties;
        this.environment = environment;
        this.pools = pools;
        this.variables = variables;
    }

    @Override
    public void accept(List<ListenerDefinition> listeners) {
        requireKnownQueues(listeners);
        adviseOnPool(listeners);
        adviseOnShutdown();
    }

    /** A name that nobody uses is misspelt, as a rule, and what is set there would be lost in silence. */
    private void requireKnownQueues(List<ListenerDefinition> listeners) {
        Set<String> known =
                listeners.stream().map(ListenerDefinition::queue).collect(Collectors.toCollection(TreeSet::new));
        for (String queue : new TreeSet<>(properties.queues().keySet())) {
            if (!known.contains(queue) && !variables.onlyVariables(queue)) {
                unknown("rowlock.queues." + queue, "no listener here listens to that queue; there are " + known);
            }
        }
        if (!properties.worker().allowUnknownQueues()) {
            variables
                    .unmatched(known)
                    .forEach(variable -> log.warn(
                            "the environment variable {} sets nothing: no listener here listens to such a queue; there are {}",
                            variable,
                            known));
        }
        for (String pattern : RowlockSettings.queues(properties).unmatched(known)) {
            unknown(
                    "rowlock.worker.queues",
                    "no listener here listens to '%s'; there are %s".formatted(pattern, known));
        }
    }

    private void unknown(String property, String problem) {
        if (properties.worker().allowUnknownQueues()) {
            log.debug("{}: {}", property, problem);
        } else {
            throw new InvalidSettingException(
                    property,
                    new IllegalArgumentException(
                            problem
                                    + ". If several applications share this configuration, set rowlock.worker.allow-unknown-queues=true"));
        }
    }

    private void adviseOnPool(List<ListenerDefinition> listeners) {
        Map<String, Integer> concurrency = rowlock.queues();
        int held = listeners.stream()
                .filter(ListenerDefinition::transactional)
                .map(ListenerDefinition::queue)
                .distinct()
                .mapToInt(queue -> concurrency.getOrDefault(queue, 0))
                .sum();
        Integer most = most();
        if (most != null && most > 0 && held == most) {
            log.info(
                    "transactional listeners may hold all {} connections of the pool at once: while they do, the application and Rowlock wait for one",
                    most);
        }
        if (most != null && most > 0 && held > most) {
            log.warn(
                    "transactional listeners may hold {} connections at once, and the pool has {}: the application and Rowlock would wait for them. Give the pool more, or the queues less concurrency",
                    held,
                    most);
        }
    }

    private @Nullable Integer most() {
        DataSourcePoolMetadata pool = new CompositeDataSourcePoolMetadataProvider(
                        pools.orderedStream().toList())
                .getDataSourcePoolMetadata(rowlock.dataSource());
        return pool == null ? null : pool.getMax();
    }

    private void adviseOnShutdown() {
        Duration phase = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(PHASE_DEFAULT);
        Duration drain = properties.worker().drainTimeout();
        if (drain.plus(UNWIND).compareTo(phase) > 0) {
            log.warn(
                    "a shutdown may take rowlock.worker.drain-timeout ({} s) and {} s more, but spring.lifecycle.timeout-per-shutdown-phase is {} s: outcomes of jobs that end late would be lost, and these jobs run again",
                    drain.toSeconds(),
                    UNWIND.toSeconds(),
                    phase.toSeconds());
        }
    }
}
