package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds {@link JobListener} methods by the classes of beans, and creates none of them: a lazily initialized listener would
 * otherwise never be found, because no bean asks for it.
 */
final class ListenerBeans {

    private static final Logger log = LoggerFactory.getLogger(ListenerBeans.class);

    /**
     * A method that wants to be a listener.
     *
     * @param type the bean's own class, behind any proxy
     */
    record Candidate(String beanName, Class<?> type, Method method, JobListener annotation) {}

    private final ConfigurableListableBeanFactory beans;

    ListenerBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Once every singleton exists; those of ancestors are not among them. */
    List<Candidate> all() {
        return candidates(true);
    }

    /** While beans are being created; those are missing whose class only their creation tells. */
    List<Candidate> declared() {
        return candidates(false);
    }

    private List<Candidate> candidates(boolean mayInitialize) {
        List<Candidate> candidates = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, mayInitialize)) {
            Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? null : ownClass(name, mayInitialize);
            if (type != null) {
                BesideJobListener.require(name, type);
                listenersOf(type)
                        .forEach((method, annotation) -> candidates.add(new Candidate(name, type, method, annotation)));
            }
        }
        return candidates;
    }

    /** The bean's class behind any proxy; null where only creating the bean would tell. */
    private @Nullable Class<?> ownClass(String name, boolean mayInitialize) {
        if (beans.containsSingleton(name) && !beans.isFactoryBean(name)) {
            return AopProxyUtils.ultimateTargetClass(beans.getBean(name));
        }
        Class<?> type = mayInitialize ? AutoProxyUtils.determineTargetClass(beans, name) : beans.getType(name, false);
        if (type != null && ScopedObject.class.isAssignableFrom(type)) {
            return AutoProxyUtils.determineTargetClass(beans, ScopedProxyUtils.getTargetBeanName(name));
        }
        return type;
    }

    static Map<Method, JobListener> listenersOf(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, JobListener.class)) {
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
}
