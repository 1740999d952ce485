package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.property.QueueVariables;
import dev.rowlock.queue.spring.JobListenerContainer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/** Runs the jobs of this application's listeners. */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"rowlock.enabled", "rowlock.worker.enabled"},
        matchIfMissing = true)
public final class RowlockWorkerAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JobListenerContainer rowlockJobListenerContainer(Rowlock rowlock, StartAdvice advice) {
        return new JobListenerContainer(rowlock, advice);
    }

    @Bean
    StartAdvice rowlockStartAdvice(
            Rowlock rowlock,
            RowlockProperties properties,
            ConfigurableEnvironment environment,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            QueueVariables variables) {
        return new StartAdvice(rowlock, properties, environment, pools, variables);
    }
}
