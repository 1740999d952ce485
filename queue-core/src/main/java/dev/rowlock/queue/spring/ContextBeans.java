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
import org.springframework.beans.factory.ObjectProvider;

/**
 * The beans of an application context that take part by their types. They are injected: a bean behind a scoped proxy counts once, and one that is no
 * autowire candidate does not.
 */
public record ContextBeans(
        ObjectProvider<JobObserver> observers,
        ObjectProvider<JobInterceptor> interceptors,
        ObjectProvider<EnqueueInterceptor> enqueueInterceptors,
        ObjectProvider<AttemptInterceptor> attemptInterceptors,
        ObjectProvider<ErrorRedactor> redactors,
        ObjectProvider<RecurringJob> recurring,
        ObjectProvider<AdmissionPolicy> policies,
        ObjectProvider<EncryptionKeys> keys,
        ObjectProvider<RowlockBuilderCustomizer> customizers) {

    /**
     * Adds them. All but keys and customizers are asked for at the start or at the first enqueue only, because they may themselves enqueue jobs.
     * Customizers come last.
     */
    public void addTo(RowlockBuilder builder) {
        builder.observers(() -> observers.orderedStream().toList())
                .interceptors(() -> interceptors.orderedStream().toList())
                .enqueueInterceptors(() -> enqueueInterceptors.orderedStream().toList())
                .attemptInterceptors(() -> attemptInterceptors.orderedStream().toList())
                .redactors(() -> redactors.orderedStream().toList())
                .recurring(() -> recurring.orderedStream().toList())
                .policies(() -> policies.orderedStream().toList());
        keys.ifAvailable(builder::encryption);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    }
}
