package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.RowlockBuilder;
import dev.rowlock.queue.autoconfigure.connection.DirectConnections;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.payload.PayloadConverter;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.spring.ContextBeans;
import dev.rowlock.queue.spring.JobListenerRegistry;
import dev.rowlock.queue.spring.JobListenerScanner;
import dev.rowlock.queue.spring.UnreachedListeners;
import dev.rowlock.queue.workflow.Workflows;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/** Puts {@link Rowlock} together, which enqueues, operates and searches jobs, and finds the listeners. */
@AutoConfiguration(after = RowlockSchemaAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "rowlock.enabled", matchIfMissing = true)
@Import(ContextBeans.class)
public final class RowlockAutoConfiguration {

    /** Not by the application's JsonMapper: what is set for its web layer must not change what stored jobs mean. */
    @Bean
    @ConditionalOnMissingBean
    PayloadCodec rowlockPayloadCodec(ObjectProvider<PayloadConverter> converters) {
        return new JacksonPayloadCodec(converters.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    JobListenerRegistry rowlockJobListenerRegistry() {
        return new JobListenerRegistry();
    }

    @Bean
    @ConditionalOnMissingBean
    static JobListenerScanner rowlockJobListenerScanner(
            JobListenerRegistry registry,
            PayloadCodec codec,
            RowlockProperties properties,
            ObjectProvider<JobDataSource> jobs,
            ObjectProvider<PlatformTransactionManager> transactionManagers,
            @RowlockTransactionManager ObjectProvider<PlatformTransactionManager> marked) {
        return new JobListenerScanner(
                registry,
                codec,
                RowlockSettings.listeners(properties),
                () -> ListenerTransactions.chosen(jobs.getObject().dataSource(), transactionManagers, marked));
    }

    @Bean
    @ConditionalOnMissingBean
    static UnreachedListeners rowlockUnreachedListeners() {
        return new UnreachedListeners();
    }

    @Bean
    @ConditionalOnMissingBean
    Rowlock rowlock(
            JobDataSource jobs,
            RowlockProperties properties,
            PayloadCodec codec,
            JobListenerScanner listeners,
            ContextBeans participants,
            ObjectProvider<PlatformTransactionManager> transactionManagers,
            @RowlockTransactionManager ObjectProvider<PlatformTransactionManager> marked,
            BeanFactory beans,
            Environment environment) {
        if (beans.getBeanProvider(Wakeups.class).stream().findAny().isPresent()) {
            throw new IllegalStateException(
                    "there is a bean of type Wakeups, and nobody would call it: Rowlock wakes its nodes by NOTIFY only. Remove it; to hear what happens to jobs, define a JobObserver");
        }
        if (RowlockSettings.encryption(properties) != null
                && participants.keys().stream().findAny().isPresent()) {
            throw new IllegalStateException(
                    "there is a bean of type EncryptionKeys, and rowlock.encryption is set: only one of them could count. Remove the other one");
        }
        RowlockBuilder builder = RowlockSettings.builder(
                        properties, jobs.dataSource(), Threading.VIRTUAL.isActive(environment))
                .unpooled(DirectConnections.besides(
                        jobs.dataSource(), properties.worker().directUrl()))
                .codec(codec)
                .listeners(listeners)
                .recurring(listeners::recurringJobs)
                .transactions(() -> ListenerTransactions.of(jobs.dataSource(), transactionManagers, marked));
        participants.addTo(builder);
        return builder.build();
    }

    @Bean
    @ConditionalOnMissingBean(JobOperations.class)
    JobTemplate rowlockJobTemplate(Rowlock rowlock) {
        return rowlock.jobs();
    }

    @Bean
    @ConditionalOnMissingBean
    JobAdmin rowlockJobAdmin(Rowlock rowlock) {
        return rowlock.admin();
    }

    @Bean
    @ConditionalOnMissingBean
    QueueLimits rowlockQueueLimits(Rowlock rowlock) {
        return rowlock.limits();
    }

    @Bean
    @ConditionalOnMissingBean
    Workflows rowlockWorkflows(Rowlock rowlock) {
        return rowlock.workflows();
    }

    @Bean
    @ConditionalOnMissingBean
    RecurringJobs rowlockRecurringJobs(Rowlock rowlock) {
        return rowlock.recurringJobs();
    }

    @Bean
    @ConditionalOnMissingBean
    JobResults rowlockJobResults(Rowlock rowlock) {
        return rowlock.results();
    }

    @Bean
    @ConditionalOnMissingBean
    JobSearch rowlockJobSearch(Rowlock rowlock) {
        return rowlock.search();
    }
}
