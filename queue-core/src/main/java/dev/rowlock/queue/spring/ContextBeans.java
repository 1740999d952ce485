package dev.rowlock.queue.spring;

import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import java.util.Collection;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;

/** The beans of an application context that take part by their types. */
public final class ContextBeans {

    private ContextBeans() {}

    /**
     * Adds them. All but keys and customizers are asked for at the start or at the first enqueue only, because they may themselves enqueue jobs.
     * Customizers come last.
     */
    public static void addTo(RowlockBuilder builder, BeanFactory beans) {
        builder.observers(all(beans, JobObserver.class))
                .interceptors(all(beans, JobInterceptor.class))
                .enqueueInterceptors(all(beans, EnqueueInterceptor.class))
                .attemptInterceptors(all(beans, AttemptInterceptor.class))
                .redactors(all(beans, ErrorRedactor.class))
                .recurring(all(beans, RecurringJob.class))
                .policies(all(beans, AdmissionPolicy.class));
        beans.getBeanProvider(EncryptionKeys.class).ifAvailable(builder::encryption);
        beans.getBeanProvider(RowlockBuilderCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(builder));
    }

    private static <T> Supplier<Collection<T>> all(BeanFactory beans, Class<T> type) {
        return () -> beans.getBeanProvider(type).orderedStream().toList();
    }
}
