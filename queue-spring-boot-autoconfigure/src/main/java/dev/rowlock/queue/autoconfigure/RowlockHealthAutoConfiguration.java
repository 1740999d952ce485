package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.internal.store.Database;
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
@ConditionalOnBean(Database.class)
public final class RowlockHealthAutoConfiguration {

    @Bean
    @ConditionalOnEnabledHealthIndicator("rowlock")
    @ConditionalOnMissingBean(name = {"rowlockHealthIndicator", "rowlockHealthContributor"})
    HealthIndicator rowlockHealthIndicator(Database database, ObjectProvider<WorkerNode> node) {
        return new RowlockHealthIndicator(database, node.getIfAvailable());
    }
}
