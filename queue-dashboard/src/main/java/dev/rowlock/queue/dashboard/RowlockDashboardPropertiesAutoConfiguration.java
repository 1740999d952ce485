package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.autoconfigure.property.UnknownProperties;
import java.util.Set;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/** Refuses misspelt properties of the dashboard, also while there is none: {@code enabled} itself, or its value, may be misspelt. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "rowlock.enabled", matchIfMissing = true)
public final class RowlockDashboardPropertiesAutoConfiguration {

    @Bean
    static UnknownProperties rowlockUnknownDashboardProperties(ConfigurableEnvironment environment) {
        Binder.get(environment)
                .bind("rowlock.dashboard.enabled", Boolean.class); // the conditions take all but true for false
        return new UnknownProperties("rowlock.dashboard", DashboardProperties.class, environment, Set.of());
    }
}
