package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** An application with Spring Security as Boot sets it up: a form to log in, tokens against forged requests. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({PostgresTestConfiguration.class, Handlers.class})
class SecuredApplication {

    @Bean
    DashboardAccess dashboardAccess() {
        return DashboardAccess.byRoles("VIEWER", "OPERATOR", "ADMIN");
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("vera").password("{noop}pw").roles("VIEWER").build(),
                User.withUsername("ada").password("{noop}pw").roles("ADMIN").build(),
                User.withUsername("otto").password("{noop}pw").roles("OPERATOR").build(),
                User.withUsername("clara")
                        .password("{noop}pw")
                        .roles("CUSTOMER")
                        .build());
    }
}
