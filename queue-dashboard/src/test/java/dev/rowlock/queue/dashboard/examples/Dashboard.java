package dev.rowlock.queue.dashboard.examples;

import dev.rowlock.queue.dashboard.access.DashboardAccess;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
class Dashboard {

    @Bean
    DashboardAccess dashboardAccess() {
        return DashboardAccess.byRoles("VIEWER", "OPERATOR", "ADMIN");
    }
}
