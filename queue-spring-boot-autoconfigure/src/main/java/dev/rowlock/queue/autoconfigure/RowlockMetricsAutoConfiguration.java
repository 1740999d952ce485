package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.observe.DatabaseMetrics;
import dev.rowlock.queue.observe.EnqueueMetrics;
import dev.rowlock.queue.observe.JobMetrics;
import dev.rowlock.queue.observe.NodeMetrics;
import dev.rowlock.queue.observe.QueueMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Meters, where the application has a registry for them. */
@AutoConfiguration(
        after = RowlockAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, JobMetrics.class})
@ConditionalOnBean({MeterRegistry.class, Rowlock.class})
public final class RowlockMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    JobMetrics rowlockJobMetrics(MeterRegistry registry) {
        return new JobMetrics(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    EnqueueMetrics rowlockEnqueueMetrics(MeterRegistry registry) {
        return new EnqueueMetrics(registry);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    @Lazy(false) // nobody asks for it, and its gauges would never exist
    QueueMetrics rowlockQueueMetrics(JobSearch search, MeterRegistry registry) {
        return new QueueMetrics(search, registry);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    @Lazy(false) // as above
    NodeMetrics rowlockNodeMetrics(Rowlock rowlock, MeterRegistry registry) {
        return new NodeMetrics(rowlock, registry);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    @Lazy(false) // as above
    DatabaseMetrics rowlockDatabaseMetrics(JobSearch search, MeterRegistry registry) {
        return new DatabaseMetrics(search, registry);
    }
}
