package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spring.ListenerBeans.Candidate;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.StringValueResolver;

/**
 * The {@link JobListener} methods of some objects, without an application context: {@code
 * Rowlock.builder(dataSource).listeners(AnnotatedListeners.of(mailer, reports))}. Placeholders {@code ${…}} in their
 * attributes are system properties and environment variables; there are no {@code #{…}} expressions.
 */
public final class AnnotatedListeners implements ListenerSource {

    private record Listener(Object object, Candidate candidate, ListenerMethod method, ListenerAttributes attributes) {

        String type() {
            return JobTypes.typeOf(method.payloadClass());
        }

        String queue() {
            return attributes.queue(method.payloadClass());
        }
    }

    private static final StringValueResolver RESOLVER = new StandardEnvironment()::resolveRequiredPlaceholders;

    /** There are no beans that could be named. */
    private static final OwnTransactions NO_BEANS = new OwnTransactions(new StaticListableBeanFactory(), () -> null);

    private final List<Listener> found;
    private final Map<String, String> queues = new HashMap<>();

    private AnnotatedListeners(List<Listener> found) {
        this.found = List.copyOf(found);
        found.forEach(listener -> queues.put(listener.type(), listener.queue()));
    }

    /**
     * Finds the listeners of these objects, which may be proxies.
     *
     * @throws InvalidJobListenerException if one of them cannot work as it is written, or an object has none
     */
    public static AnnotatedListeners of(Object... objects) {
        List<Listener> found = new ArrayList<>();
        for (Object object : objects) {
            List<Listener> own = listenersOf(object);
            if (own.isEmpty()) {
                throw new InvalidJobListenerException(
                        "%s has no @JobListener"
                                .formatted(AopProxyUtils.ultimateTargetClass(object)
                                        .getName()),
                        "Annotate the methods that run jobs, or leave the object out");
            }
            found.addAll(own);
        }
        return new AnnotatedListeners(found);
    }

    private static List<Listener> listenersOf(Object object) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(object);
        BesideJobListener.require(type.getSimpleName(), type);
        List<Listener> found = new ArrayList<>();
        ListenerBeans.listenersOf(type).forEach((method, annotation) -> {
            Candidate candidate = new Candidate(type.getSimpleName(), type, method, annotation);
            found.add(new Listener(
                    object,
                    candidate,
                    ListenerMethod.of(candidate.beanName(), type, method),
                    new ListenerAttributes(annotation, RESOLVER)));
        });
        return found;
    }

    @Override
    public List<ListenerDefinition> listeners(PayloadCodec codec, RetryPolicy retry) {
        return found.stream()
                .map(listener -> definition(listener, codec, retry))
                .toList();
    }

    private static ListenerDefinition definition(Listener listener, PayloadCodec codec, RetryPolicy retry) {
        Method invocable = JobListenerScanner.invocable(listener.object, listener.candidate, listener.method);
        try {
            return listener.method
                    .definition(
                            listener.attributes,
                            attributes -> attributes.retry(retry, AnnotatedListeners::noStrategy),
                            NO_BEANS,
                            new ListenerCall(listener.object, invocable, codec))
                    .onDead(DeadMethod.of(listener.candidate, listener.method, listener.object, codec));
        } catch (IllegalArgumentException e) {
            throw new InvalidJobListenerException(
                    "@JobListener %s cannot work: %s".formatted(listener.method.name(), e.getMessage()),
                    "Correct the annotation or the property that it refers to",
                    e);
        }
    }

    private static RetryStrategy noStrategy(String name) {
        throw new IllegalArgumentException("without an application context there are no beans to name");
    }

    /**
     * The jobs of these listeners that recur by {@link dev.rowlock.queue.schedule.Recurring}: {@code
     * builder.listeners(annotated).recurring(() -> annotated.recurringJobs(codec))}.
     *
     * @param codec reads their payloads
     * @throws InvalidJobListenerException if one of them cannot work as it is written
     */
    public List<RecurringJob> recurringJobs(PayloadCodec codec) {
        RecurringMethods methods = new RecurringMethods(RESOLVER, codec);
        return found.stream()
                .flatMap(listener -> methods.of(listener.candidate.beanName(), listener.method).stream())
                .toList();
    }

    @Override
    public @Nullable String queueOf(String type) {
        return queues.get(type);
    }
}
