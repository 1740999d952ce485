package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.ListenerSource;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spring.ListenerBeans.Candidate;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * Finds the {@link JobListener} methods of all beans, once every singleton exists.
 *
 * <p>Until then it knows their queues from the classes of the beans that are declared: jobs may be enqueued before.
 */
public final class JobListenerScanner implements ListenerSource, SmartInitializingSingleton, BeanFactoryAware {

    private final JobListenerRegistry registry;
    private static final Logger log = LoggerFactory.getLogger(JobListenerScanner.class);

    private final PayloadCodec codec;
    private final ListenerDefaults defaults;
    private final Supplier<@Nullable PlatformTransactionManager> transactions;
    private @Nullable ConfigurableListableBeanFactory beanFactory; // written by the context before anything else runs
    private @Nullable EarlyQueues early; // as above
    private final List<RecurringJob> recurring = new CopyOnWriteArrayList<>();
    private volatile boolean scanned; // written by the context's thread

    /**
     * @param registry gets what is found
     * @param codec decodes the payloads
     * @param defaults for listeners that say nothing
     * @param transactions the manager of transactional listeners that name none; asked once every singleton exists
     */
    public JobListenerScanner(
            JobListenerRegistry registry,
            PayloadCodec codec,
            ListenerDefaults defaults,
            Supplier<@Nullable PlatformTransactionManager> transactions) {
        this.registry = registry;
        this.codec = codec;
        this.defaults = defaults;
        this.transactions = transactions;
    }

    @Override
    public void setBeanFactory(BeanFactory factory) {
        ConfigurableListableBeanFactory listable = (ConfigurableListableBeanFactory) factory;
        this.beanFactory = listable;
        this.early = new EarlyQueues(listable, defaults.queue());
    }

    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory beans = required(beanFactory);
        new ListenerBeans(beans).all().forEach(candidate -> register(beans, candidate));
        scanned = true;
        registry.definitions().forEach(required(early)::requireRight);
    }

    /**
     * All that are registered, those as well that no annotation has made.
     *
     * @throws InvalidJobListenerException if they read by another codec than jobs are written by
     */
    @Override
    public List<ListenerDefinition> listeners(PayloadCodec writing, RetryPolicy ignoredRetry) {
        List<ListenerDefinition> all = registry.definitions();
        if (!all.isEmpty() && !writing.equals(codec)) {
            throw new InvalidJobListenerException(
                    "jobs are written by the codec %s, and @JobListener methods read them by another one, %s"
                            .formatted(
                                    writing.getClass().getName(),
                                    codec.getClass().getName()),
                    "Define a bean of type PayloadCodec instead of setting the codec of the builder");
        }
        return all;
    }

    /** The jobs of listeners that recur; none before every singleton exists. */
    public List<RecurringJob> recurringJobs() {
        return List.copyOf(recurring);
    }

    /**
     * The queues that listeners listen to whose classes the declared beans tell. Creates no bean.
     *
     * @param defaultQueue where neither listener nor payload names one
     * @param texts resolves placeholders in attributes
     */
    public static Set<String> declaredQueues(
            ConfigurableListableBeanFactory beans, String defaultQueue, StringValueResolver texts) {
        Set<String> queues = new TreeSet<>();
        for (Candidate candidate : new ListenerBeans(beans).declared()) {
            try {
                Class<?> payload = ListenerMethod.of(candidate.beanName(), candidate.type(), candidate.method())
                        .payloadClass();
                queues.add(new ListenerAttributes(candidate.annotation(), texts, defaultQueue).queue(payload));
            } catch (IllegalArgumentException | InvalidJobListenerException e) {
                log.debug("the queue of {} is not known yet", candidate.method(), e);
            }
        }
        return queues;
    }

    /**
     * The queue that the type's listener listens to, also before there are listeners; null if nobody here takes the type.
     */
    @Override
    public @Nullable String queueOf(String type) {
        String known = registry.queueOf(type);
        return known != null || scanned ? known : required(early).queueOf(type);
    }

    private static <T> T required(@Nullable T ofBean) {
        if (ofBean == null) {
            throw new IllegalStateException("JobListenerScanner must be a bean: it looks through its bean factory");
        }
        return ofBean;
    }

    private void register(ConfigurableListableBeanFactory beans, Candidate candidate) {
        String beanName = candidate.beanName();
        ListenerMethod listener = ListenerMethod.of(beanName, candidate.type(), candidate.method());
        requireOneObject(beans, beanName, listener);
        Object bean = beans.getBean(beanName);
        Method invocable = invocable(bean, candidate, listener);
        new RecurringMethods(new EmbeddedValueResolver(beans), codec)
                .of(beanName, listener)
                .ifPresent(recurring::add);
        try {
            registry.register(definition(beans, candidate, listener, bean, invocable));
        } catch (IllegalArgumentException e) {
            throw new InvalidJobListenerException(
                    "@JobListener %s of bean '%s' cannot work: %s".formatted(listener.name(), beanName, e.getMessage()),
                    "Correct the annotation or the property that it refers to",
                    e);
        }
    }

    private ListenerDefinition definition(
            ConfigurableListableBeanFactory beans,
            Candidate candidate,
            ListenerMethod listener,
            Object bean,
            Method invocable) {
        ListenerAttributes own =
                new ListenerAttributes(candidate.annotation(), new EmbeddedValueResolver(beans), defaults.queue());
        String queue = own.queue(listener.payloadClass());
        ListenerDefinition definition = listener.definition(
                        own,
                        attributes -> attributes.retry(defaults.retryIn(queue), name -> strategy(beans, name)),
                        new OwnTransactions(beans, transactions),
                        new ListenerCall(bean, invocable, codec))
                .onDead(DeadMethod.of(candidate, listener, bean, codec));
        return definition.timeout() != null ? definition : definition.timeout(defaults.timeoutIn(queue));
    }

    private static RetryStrategy strategy(ConfigurableListableBeanFactory beans, String name) {
        try {
            return beans.getBean(name, RetryStrategy.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new IllegalArgumentException("there is no RetryStrategy of that name among the beans", e);
        }
    }

    private static void requireOneObject(
            ConfigurableListableBeanFactory beans, String beanName, ListenerMethod listener) {
        if (!beans.isSingleton(beanName)) {
            throw new InvalidJobListenerException(
                    "@JobListener %s of bean '%s' cannot work: the bean is not a singleton, so there is no one object to call"
                            .formatted(listener.name(), beanName),
                    "Move the method to a singleton bean that asks for the other one");
        }
    }

    /** The method by which this object, perhaps a proxy, can be called. */
    static Method invocable(Object bean, Candidate candidate, ListenerMethod listener) {
        if (AopUtils.isCglibProxy(bean)) {
            requireOverridable(candidate, listener);
        }
        try {
            Method invocable = AopUtils.selectInvocableMethod(listener.method(), bean.getClass());
            ReflectionUtils.makeAccessible(invocable);
            return invocable;
        } catch (IllegalStateException e) {
            throw unreachable(candidate, listener, "the bean is a proxy of interfaces that do not declare it", e);
        }
    }

    /** What such a proxy does not override would run on the proxy itself, whose fields are empty. */
    private static void requireOverridable(Candidate candidate, ListenerMethod listener) {
        int modifiers = listener.method().getModifiers();
        Class<?> declaring = listener.method().getDeclaringClass();
        boolean packagePrivate = !Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers);
        if (Modifier.isFinal(modifiers)) {
            throw unreachable(candidate, listener, "it is final, and the bean is a proxy made by subclassing", null);
        }
        if (packagePrivate && !samePackage(declaring, candidate.type())) {
            throw unreachable(
                    candidate,
                    listener,
                    "%s of another package declares it package-private, and the bean is a proxy made by subclassing"
                            .formatted(declaring.getName()),
                    null);
        }
    }

    /** As the JVM sees it: by name and loader. */
    private static boolean samePackage(Class<?> one, Class<?> other) {
        return one.getPackageName().equals(other.getPackageName()) && one.getClassLoader() == other.getClassLoader();
    }

    private static InvalidJobListenerException unreachable(
            Candidate candidate, ListenerMethod listener, String why, @Nullable Throwable cause) {
        return new InvalidJobListenerException(
                "@JobListener %s of bean '%s' cannot work: %s".formatted(listener.name(), candidate.beanName(), why),
                "Let the proxy reach it: remove final, make it public or protected, declare it in an interface, or proxy"
                        + " the class (proxyTargetClass = true)",
                cause);
    }
}
