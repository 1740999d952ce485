package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spring.JobListenerContainer;
import dev.rowlock.queue.spring.JobListenerRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/** Runs the jobs of this application's listeners. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"rowlock.enabled", "rowlock.worker.enabled"},
        matchIfMissing = true)
public final class RowlockWorkerAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Extensions rowlockExtensions(
            ObjectProvider<JobObserver> observers,
            ObjectProvider<JobInterceptor> interceptors,
            ObjectProvider<ErrorRedactor> redactors) {
        return new Extensions(
                observers.orderedStream().toList(),
                interceptors.orderedStream().toList(),
                redactors.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    NodeServices rowlockNodeServices(
            Database database,
            PayloadCodec codec,
            WakeupBus wakeups,
            RowlockProperties properties,
            Extensions extensions,
            ObjectProvider<PlatformTransactionManager> transactionManagers,
            @RowlockTransactionManager ObjectProvider<PlatformTransactionManager> marked) {
        return new NodeServices(
                database,
                DirectConnections.besides(
                        database.dataSource(), properties.worker().directUrl()),
                codec,
                extensions,
                wakeups,
                ListenerTransactions.of(database.dataSource(), transactionManagers, marked));
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerNode rowlockWorkerNode(RowlockProperties properties, NodeServices services, Environment environment) {
        return new WorkerNode(RowlockSettings.node(properties, Threading.VIRTUAL.isActive(environment)), services);
    }

    @Bean
    @ConditionalOnMissingBean
    JobListenerContainer jobListenerContainer(
            JobListenerRegistry registry,
            WorkerNode node,
            NodeServices services,
            StartAdvice advice,
            RowlockProperties properties) {
        return new JobListenerContainer(
                registry,
                node,
                services.transactions() != null,
                properties.worker().keepAlive(),
                advice);
    }

    @Bean
    StartAdvice rowlockStartAdvice(
            NodeServices services,
            RowlockProperties properties,
            ConfigurableEnvironment environment,
            ObjectProvider<DataSourcePoolMetadataProvider> pools) {
        return new StartAdvice(services, RowlockSettings.node(properties, false).worker(), environment, pools);
    }
}
