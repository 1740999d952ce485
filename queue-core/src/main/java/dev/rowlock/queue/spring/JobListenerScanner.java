package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the {@link JobListener} methods of all beans, once every singleton exists.
 *
 * <p>It asks the bean definitions rather than post-processing beans: a listener that is initialized lazily would
 * otherwise never be found, because nobody asks for it. Such beans are created here.
 */
public final class JobListenerScanner implements SmartInitializingSingleton, BeanFactoryAware {

    private static final Logger log = LoggerFactory.getLogger(JobListenerScanner.class);

    private final JobListenerRegistry registry;
    private final PayloadCodec codec;
    private final RetryPolicy retryDefaults;
    private @Nullable ConfigurableListableBeanFactory beanFactory; // written by the context before anything else runs

    /**
     * @param registry gets what is found
     * @param codec decodes the payloads
     * @param retryDefaults for listeners that say nothing
     */
    public JobListenerScanner(JobListenerRegistry registry, PayloadCodec codec, RetryPolicy retryDefaults) {
        this.registry = registry;
        this.codec = codec;
        this.retryDefaults = retryDefaults;
    }

    @Override
    public void setBeanFactory(BeanFactory factory) {
        this.beanFactory = (ConfigurableListableBeanFactory) factory;
    }

    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory beans = beanFactory;
        if (beans == null) {
            throw new IllegalStateException("JobListenerScanner must be a bean: it looks through its bean factory");
        }
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : ownClass(beans, name);
            if (type != null) {
                listenersOf(type).forEach((method, annotation) -> register(beans, name, type, method, annotation));
            }
        }
    }

    /** The bean's class behind any proxy; null where only creating the bean would tell. */
    private static @Nullable Class<?> ownClass(ConfigurableListableBeanFactory beans, String name) {
        if (beans.containsSingleton(name) && !beans.isFactoryBean(name)) {
            return AopProxyUtils.ultimateTargetClass(beans.getBean(name));
        }
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type != null && ScopedObject.class.isAssignableFrom(type)) {
            return AutoProxyUtils.determineTargetClass(beans, ScopedProxyUtils.getTargetBeanName(name));
        }
        return type;
    }

    private static Map<Method, JobListener> listenersOf(Class<?> type) {
        if (type.getName().startsWith("org.springframework.")
                || !AnnotationUtils.isCandidateClass(type, JobListener.class)) {
            return Map.of();
        }
        try {
            return MethodIntrospector.selectMethods(
                    type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, JobListener.class));
        } catch (LinkageError e) {
            // Its signatures mention classes that this application does not have. A listener's never do.
            log.debug("{} cannot be searched for listeners", type, e);
            return Map.of();
        }
    }

    private void register(
            ConfigurableListableBeanFactory beans,
            String beanName,
            Class<?> type,
            Method method,
            JobListener annotation) {
        ListenerMethod listener = ListenerMethod.of(beanName, type, method);
        requireOneObject(beans, beanName, listener);
        Object bean = beans.getBean(beanName);
        Method invocable = invocable(bean, beanName, listener);
        try {
            registry.register(definition(beans, annotation, listener, bean, invocable));
        } catch (IllegalArgumentException e) {
            throw new InvalidJobListenerException(
                    "@JobListener %s of bean '%s' cannot work: %s".formatted(listener.name(), beanName, e.getMessage()),
                    "Correct the annotation or the property that it refers to",
                    e);
        }
    }

    private ListenerDefinition definition(
            ConfigurableListableBeanFactory beans,
            JobListener annotation,
            ListenerMethod listener,
            Object bean,
            Method invocable) {
        ListenerAttributes attributes = new ListenerAttributes(annotation, new EmbeddedValueResolver(beans));
        return new ListenerDefinition(
                listener.name(),
                attributes.queue(listener.payloadClass()),
                JobTypes.typeOf(listener.payloadClass()),
                attributes.concurrency(),
                attributes.timeout(),
                attributes.retry(retryDefaults),
                Set.copyOf(Arrays.asList(annotation.noRetryFor())),
                annotation.transactional(),
                new MethodJobHandler(bean, invocable, listener, codec));
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
    private static Method invocable(Object bean, String beanName, ListenerMethod listener) {
        if (AopUtils.isCglibProxy(bean) && Modifier.isFinal(listener.method().getModifiers())) {
            throw unreachable(beanName, listener, "it is final, and the bean is a proxy made by subclassing", null);
        }
        try {
            Method invocable = AopUtils.selectInvocableMethod(listener.method(), bean.getClass());
            ReflectionUtils.makeAccessible(invocable);
            return invocable;
        } catch (IllegalStateException e) {
            throw unreachable(beanName, listener, "the bean is a proxy of interfaces that do not declare it", e);
        }
    }

    private static InvalidJobListenerException unreachable(
            String beanName, ListenerMethod listener, String why, @Nullable Throwable cause) {
        return new InvalidJobListenerException(
                "@JobListener %s of bean '%s' cannot work: %s".formatted(listener.name(), beanName, why),
                "Let the proxy reach it: remove final, declare it in an interface, or proxy the class"
                        + " (proxyTargetClass = true)",
                cause);
    }
}
