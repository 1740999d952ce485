package dev.rowlock.queue.test;

import dev.rowlock.queue.test.AutoConfigureRowlock.Mode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * What the kit's annotations do to a test's application context. A part of the key by which contexts are cached.
 *
 * @param mode null: not said
 */
record RowlockTestContext(@Nullable Mode mode, boolean embedded) implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        if (mode != null) {
            boolean background = mode == Mode.BACKGROUND;
            TestPropertyValues.of("rowlock.worker.enabled=" + background, "rowlock.notify.enabled=" + background)
                    .applyTo(context);
        }
        if (embedded) {
            // Slices for JDBC and JPA would put a database of another kind in its place.
            TestPropertyValues.of("spring.test.database.replace=none").applyTo(context);
        }
    }

    /** Finds the annotations of a test class, of its superclasses and of those around it. */
    static final class Factory implements ContextCustomizerFactory {

        @Override
        public @Nullable ContextCustomizer createContextCustomizer(
                Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
            AutoConfigureRowlock rowlock =
                    TestContextAnnotationUtils.findMergedAnnotation(testClass, AutoConfigureRowlock.class);
            boolean embedded = TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureEmbeddedPostgres.class);
            return rowlock == null && !embedded
                    ? null
                    : new RowlockTestContext(rowlock == null ? null : rowlock.mode(), embedded);
        }
    }
}
