package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.EncryptionKeys;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Beans of the application that take part. All but customizers are asked for at the start or at the first enqueue only, because
 * they may themselves enqueue jobs.
 */
record RowlockSurroundings(
        ObjectProvider<JobObserver> observers,
        ObjectProvider<JobInterceptor> interceptors,
        ObjectProvider<EnqueueInterceptor> enqueueInterceptors,
        ObjectProvider<AttemptInterceptor> attemptInterceptors,
        ObjectProvider<ErrorRedactor> redactors,
        ObjectProvider<EncryptionKeys> encryptionKeys,
        ObjectProvider<RecurringJob> recurring,
        ObjectProvider<AdmissionPolicy> policies,
        ObjectProvider<PlatformTransactionManager> transactionManagers,
        ObjectProvider<PlatformTransactionManager> marked,
        ObjectProvider<RowlockBuilderCustomizer> customizers) {

    void applyTo(RowlockBuilder builder, DataSource dataSource) {
        builder.observers(() -> observers.orderedStream().toList())
                .interceptors(() -> interceptors.orderedStream().toList())
                .enqueueInterceptors(() -> enqueueInterceptors.orderedStream().toList())
                .attemptInterceptors(() -> attemptInterceptors.orderedStream().toList())
                .redactors(() -> redactors.orderedStream().toList())
                .recurring(() -> recurring.orderedStream().toList())
                .policies(() -> policies.orderedStream().toList())
                .transactions(() -> ListenerTransactions.of(dataSource, transactionManagers, marked));
        encryptionKeys.ifAvailable(builder::encryption);
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    }
}
