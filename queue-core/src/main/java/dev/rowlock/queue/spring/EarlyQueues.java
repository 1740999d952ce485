package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spring.ListenerBeans.Candidate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;

/**
 * Which listener listens where, for jobs that are enqueued before the listeners exist: by constructors, {@code
 * @PostConstruct} methods and the like. Thread-safe.
 */
final class EarlyQueues {

    private final ConfigurableListableBeanFactory beans;
    private final String defaultQueue;
    private final Set<String> unknown = new HashSet<>(); // guarded by this
    private @Nullable Map<String, String> byType; // guarded by this

    /** @param defaultQueue where neither listener nor payload names one */
    EarlyQueues(ConfigurableListableBeanFactory beans, String defaultQueue) {
        this.beans = beans;
        this.defaultQueue = defaultQueue;
    }

    /** Null if no bean is declared whose class has such a listener. */
    synchronized @Nullable String queueOf(String type) {
        if (byType == null) {
            byType = declared();
        }
        String queue = byType.get(type);
        if (queue == null) {
            unknown.add(type);
        }
        return queue;
    }

    private Map<String, String> declared() {
        Map<String, String> queues = new HashMap<>();
        EmbeddedValueResolver resolver = new EmbeddedValueResolver(beans);
        for (Candidate candidate : new ListenerBeans(beans).declared()) {
            Class<?> payload = ListenerMethod.of(candidate.beanName(), candidate.type(), candidate.method())
                    .payloadClass();
            String queue = new ListenerAttributes(candidate.annotation(), resolver, defaultQueue).queue(payload);
            queues.put(JobTypes.typeOf(payload), queue);
        }
        return queues;
    }

    /** The listeners are known: fails if jobs went to another queue than this one's. */
    synchronized void requireRight(ListenerDefinition listener) {
        if (unknown.contains(listener.type()) && !listener.queue().equals(defaultQueue)) {
            throw new InvalidJobListenerException(
                    "jobs of type '%s' were enqueued to queue '%s' before it could be known that %s listens to '%s'"
                            .formatted(listener.type(), defaultQueue, listener.name(), listener.queue()),
                    "Let the @Bean method of the listener return its class, name the queue in the payload's @JobType,"
                            + " or enqueue when all beans exist, as an ApplicationRunner does");
        }
    }
}
