package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.RowlockAutoConfiguration;
import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.PayloadRedaction;
import dev.rowlock.queue.dashboard.api.Brand;
import dev.rowlock.queue.dashboard.api.Operations;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.dashboard.live.LiveFeed;
import dev.rowlock.queue.dashboard.live.Rounds;
import dev.rowlock.queue.dashboard.web.Dashboard;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * The dashboard, where {@code rowlock.dashboard.enabled} says so and the application runs on Spring MVC. It has a handler mapping of its own, and leaves the
 * application's web configuration and its security alone.
 */
@AutoConfiguration(after = RowlockAutoConfiguration.class)
@ConditionalOnBooleanProperty("rowlock.dashboard.enabled")
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
@ConditionalOnBean(Rowlock.class)
@EnableConfigurationProperties(DashboardProperties.class)
@ImportRuntimeHints(DashboardHints.class)
public final class RowlockDashboardAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(RowlockDashboardAutoConfiguration.class);

    /** Before the application's own controllers: one of them may take every path. Only paths of the dashboard are ours. */
    private static final int ORDER = -50;

    @Bean
    LiveFeed rowlockDashboardLiveFeed(Rowlock rowlock, ObjectProvider<PayloadRedaction> redaction) {
        return new LiveFeed(new Rounds(rowlock, new Redaction(redaction.getIfAvailable())), LiveFeed.ROUND);
    }

    @Bean
    Dashboard rowlockDashboard(
            Rowlock rowlock,
            DashboardProperties properties,
            ObjectProvider<DashboardAccess> access,
            ObjectProvider<PayloadRedaction> redaction,
            LiveFeed live) {
        Brand brand = new Brand(properties.title(), properties.logo(), properties.accent());
        return new Dashboard(
                properties.path(),
                given(access, properties.path()),
                new Operations(rowlock, brand, properties.traceLink(), redaction.getIfAvailable()),
                properties.payloads(),
                live);
    }

    private static @Nullable DashboardAccess given(ObjectProvider<DashboardAccess> beans, String path) {
        DashboardAccess access = beans.getIfAvailable();
        if (access == null) {
            log.warn(
                    "the dashboard is at {} and denies all access: add a bean of type {} that grants it, such as DashboardAccess.byRoles(\"VIEWER\", \"OPERATOR\", \"ADMIN\")",
                    path,
                    DashboardAccess.class.getName());
        } else {
            log.info("the dashboard is at {}", path);
        }
        return access;
    }

    @Bean
    SimpleUrlHandlerMapping rowlockDashboardMapping(Dashboard rowlockDashboard, DashboardProperties properties) {
        String path = properties.path();
        return new SimpleUrlHandlerMapping(Map.of(path, rowlockDashboard, path + "/**", rowlockDashboard), ORDER);
    }
}
