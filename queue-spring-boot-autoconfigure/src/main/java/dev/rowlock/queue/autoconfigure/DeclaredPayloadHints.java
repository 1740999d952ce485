package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobType;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/**
 * Lets a native image write the payloads of jobs whose listener is elsewhere: all classes with {@link JobType} in the application's packages. What
 * listeners take and return, their own hints name.
 */
final class DeclaredPayloadHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        List<Class<?>> payloads = payloads(beans);
        return payloads.isEmpty() ? null : (generation, code) -> register(generation.getRuntimeHints(), payloads);
    }

    static List<Class<?>> payloads(ConfigurableListableBeanFactory beans) {
        if (!AutoConfigurationPackages.has(beans)) {
            return List.of();
        }
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(JobType.class, false));
        return AutoConfigurationPackages.get(beans).stream()
                .flatMap(folder -> scanner.findCandidateComponents(folder).stream())
                .<Class<?>>map(found -> ClassUtils.resolveClassName(
                        Objects.requireNonNull(found.getBeanClassName()), beans.getBeanClassLoader()))
                .distinct()
                .toList();
    }

    static void register(RuntimeHints hints, List<Class<?>> payloads) {
        payloads.forEach(
                payload -> new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), payload));
    }
}
