package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** An application without Spring Security, where everybody says who he or she is: by a header, or in a browser by a cookie. */
@SpringBootConfiguration
@EnableAutoConfiguration(
        exclude = {
            SecurityAutoConfiguration.class,
            UserDetailsServiceAutoConfiguration.class,
            SecurityFilterAutoConfiguration.class,
            ServletWebSecurityAutoConfiguration.class
        })
@Import({PostgresTestConfiguration.class, Handlers.class})
public class PlainApplication {

    static final String LEVEL = "X-Level";

    /** Ann where it is missing. */
    static final String NAME = "X-Name";

    @Bean
    DashboardAccess dashboardAccess() {
        return request -> {
            String level = level(request);
            if (level.equals("endless")) {
                return endless();
            }
            return level.equals("broken")
                    ? broken()
                    : new DashboardUser(
                            Objects.requireNonNullElse(request.getHeader(NAME), "ann"),
                            AccessLevel.valueOf(level.toUpperCase(Locale.ROOT)));
        };
    }

    private static DashboardUser endless() {
        DashboardUser user = endless();
        return new DashboardUser(user.name() + "!", user.level());
    }

    private static DashboardUser broken() {
        throw new IllegalStateException("the directory does not answer");
    }

    private static String level(HttpServletRequest request) {
        return Stream.concat(
                        Stream.ofNullable(request.getHeader(LEVEL)),
                        Arrays.stream(Objects.requireNonNullElse(request.getCookies(), new Cookie[0]))
                                .filter(cookie -> cookie.getName().equals("level"))
                                .map(Cookie::getValue))
                .findFirst()
                .orElse("none");
    }
}
