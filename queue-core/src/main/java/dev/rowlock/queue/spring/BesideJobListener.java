package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.gate.Limited;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import java.lang.annotation.Annotation;
import java.util.Map;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/** Annotations that mean nothing without {@link JobListener}. */
final class BesideJobListener {

    private static final Map<Class<? extends Annotation>, String> REMEDIES = Map.of(
            Recurring.class, "Annotate the method with @JobListener as well, or define a bean of type RecurringJob",
            Limited.class, "Annotate the method with @JobListener as well, or use the properties of the queue");

    private BesideJobListener() {}

    /** Stops the start where one of them would have no effect. */
    static void require(String beanName, Class<?> type) {
        REMEDIES.forEach((annotation, remedy) -> {
            if (AnnotationUtils.isCandidateClass(type, annotation)) {
                require(beanName, type, annotation, remedy);
            }
        });
    }

    private static void require(String beanName, Class<?> type, Class<? extends Annotation> annotation, String remedy) {
        ReflectionUtils.doWithMethods(type, method -> {
            if (AnnotatedElementUtils.hasAnnotation(method, annotation)
                    && !AnnotatedElementUtils.hasAnnotation(method, JobListener.class)) {
                throw new InvalidJobListenerException(
                        "@%s %s.%s of bean '%s' cannot work: it is no @JobListener, so it takes no jobs"
                                .formatted(
                                        annotation.getSimpleName(), type.getSimpleName(), method.getName(), beanName),
                        remedy);
            }
        });
    }
}
