package dev.rowlock.queue.dashboard.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import dev.rowlock.queue.dashboard.access.PayloadRedaction;
import dev.rowlock.queue.dashboard.access.PayloadRedaction.Part;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** The examples of docs/dashboard.md. */
class DashboardExamplesTest {

    static class Roles {

        @Bean
        DashboardAccess dashboardAccess() {
            return DashboardAccess.byRoles("VIEWER", "OPERATOR", "ADMIN");
        }

        @Bean
        PayloadRedaction redaction() {
            return (part, type, text) -> text.replaceAll("\"cardNumber\":\\s*\"[^\"]*\"", "\"cardNumber\": \"…\"");
        }
    }

    record Person(String name, boolean onCall) {}

    interface Staff {
        Optional<Person> find(HttpServletRequest request);
    }

    static class People {

        @Bean
        DashboardAccess dashboardAccess(Staff staff) {
            return request -> staff.find(request)
                    .map(person -> new DashboardUser(
                            person.name(), person.onCall() ? AccessLevel.ADMIN : AccessLevel.READ_ONLY))
                    .orElse(DashboardUser.NOBODY);
        }
    }

    static class Rules {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/rowlock/**")
                            .hasAnyRole("VIEWER", "OPERATOR", "ADMIN")
                            .anyRequest()
                            .authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }
    }

    @Test
    void aUserGetsTheHighestLevelOfHisRoles() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setUserPrincipal(() -> "otto");
        request.addUserRole("VIEWER");
        request.addUserRole("OPERATOR");

        assertThat(new Roles().dashboardAccess().user(request))
                .isEqualTo(new DashboardUser("otto", AccessLevel.OPERATOR));
        assertThat(new Roles().dashboardAccess().user(new MockHttpServletRequest()))
                .isEqualTo(DashboardUser.NOBODY);
    }

    @Test
    void whoIsOnCallMayDoMore() {
        HttpServletRequest request = new MockHttpServletRequest();

        assertThat(new People()
                        .dashboardAccess(asked -> Optional.of(new Person("ann", true)))
                        .user(request)
                        .level())
                .isEqualTo(AccessLevel.ADMIN);
        assertThat(new People().dashboardAccess(asked -> Optional.empty()).user(request))
                .isEqualTo(DashboardUser.NOBODY);
    }

    @Test
    void numbersOfCardsAreTakenOut() {
        assertThat(new Roles().redaction().redact(Part.PAYLOAD, "charge", "{\"cardNumber\": \"4111\", \"n\": 1}"))
                .isEqualTo("{\"cardNumber\": \"…\", \"n\": 1}");
    }
}
