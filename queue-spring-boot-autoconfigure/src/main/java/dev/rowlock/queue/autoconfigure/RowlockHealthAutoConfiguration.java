package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.spring.JobListenerContainer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health indicator {@code rowlock}; {@code management.health.rowlock.enabled=false} turns it off. */
@AutoConfiguration(after = RowlockWorkerAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Rowlock.class)
public final class RowlockHealthAutoConfiguration {

    @Bean
    @ConditionalOnEnabledHealthIndicator("rowlock")
    @ConditionalOnMissingBean(name = {"rowlockHealthIndicator", "rowlockHealthContributor"})
    HealthIndicator rowlockHealthIndicator(
            Rowlock rowlock,
            ObjectProvider<JobListenerContainer> container,
            ObjectProvider<RowlockProperties> properties) {
        RowlockProperties given = properties.getIfAvailable();
        LeaseSettings lease = given == null ? LeaseSettings.defaults() : RowlockSettings.lease(given);
        return new RowlockHealthIndicator(
                rowlock, container.getIfAvailable() != null, lease.lease().dividedBy(3));
    }
}
