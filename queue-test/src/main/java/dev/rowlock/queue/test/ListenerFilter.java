package dev.rowlock.queue.test;

import dev.rowlock.queue.JobListener;
import java.io.IOException;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Which components of the application a {@link RowlockTest} has. */
final class ListenerFilter extends StandardAnnotationCustomizableTypeExcludeFilter<RowlockTest> {

    private final Set<Class<?>> listeners;

    ListenerFilter(Class<?> testClass) {
        super(testClass);
        listeners = Set.of(getAnnotation().getClassArray("listeners"));
    }

    @Override
    protected boolean defaultInclude(MetadataReader candidate, MetadataReaderFactory factory) throws IOException {
        return super.defaultInclude(candidate, factory)
                || (listeners.isEmpty()
                        && candidate.getAnnotationMetadata().hasAnnotatedMethods(JobListener.class.getName()));
    }

    @Override
    protected Set<Class<?>> getComponentIncludes() {
        return listeners;
    }
}
