package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobContext;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Lets a native image call the listeners, and read and write their payloads and results as JSON. */
final class JobListenerHints implements BeanRegistrationAotProcessor {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        return listenersOf(type).isEmpty() ? null : (generation, code) -> register(generation.getRuntimeHints(), type);
    }

    /** Adds what the listeners of this class need. */
    void register(RuntimeHints hints, Class<?> type) {
        listenersOf(type).forEach(listener -> register(hints.reflection(), type, listener));
    }

    private void register(ReflectionHints hints, Class<?> type, Method listener) {
        hints.registerMethod(listener, ExecutableMode.INVOKE);
        JobListener annotation = AnnotatedElementUtils.findMergedAnnotation(listener, JobListener.class);
        if (annotation != null) {
            DeadMethod.methodsOf(type, annotation.onDead())
                    .forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
        }
        for (Type parameter : listener.getGenericParameterTypes()) {
            if (parameter != JobContext.class) {
                binding.registerReflectionHints(hints, payload(parameter));
            }
        }
        if (listener.getReturnType() != void.class && listener.getReturnType() != ChunkResult.class) {
            binding.registerReflectionHints(hints, listener.getGenericReturnType());
        }
    }

    /** What is read from JSON: of a chunk, what each of its jobs carries. */
    private static Type payload(Type parameter) {
        ResolvableType type = ResolvableType.forType(parameter);
        if (type.toClass() == List.class) {
            ResolvableType element = type.getGeneric(0);
            Type payload = (element.toClass() == ChunkJob.class ? element.getGeneric(0) : element).getType();
            return payload instanceof WildcardType wildcard ? wildcard.getUpperBounds()[0] : payload;
        }
        return parameter;
    }

    private static Set<Method> listenersOf(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, JobListener.class)) {
            return Set.of();
        }
        return MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, JobListener.class));
    }
}
