package dev.rowlock.queue.dashboard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Says why there is no dashboard where it was asked for. It stops no start: applications share their configuration, and not all of them have a web server. */
@AutoConfiguration(after = RowlockDashboardAutoConfiguration.class)
@ConditionalOnBooleanProperty("rowlock.dashboard.enabled")
@ConditionalOnMissingBean(type = "dev.rowlock.queue.dashboard.web.Dashboard")
public final class RowlockDashboardElsewhereAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(RowlockDashboardElsewhereAutoConfiguration.class);

    @Bean
    InitializingBean rowlockDashboardElsewhere() {
        return () -> log.warn(
                "rowlock.dashboard.enabled is true, and there is no dashboard: it needs an application on Spring MVC (spring-boot-starter-webmvc) in which Rowlock is enabled; an application on WebFlux, or without a web server, cannot show it");
    }
}
