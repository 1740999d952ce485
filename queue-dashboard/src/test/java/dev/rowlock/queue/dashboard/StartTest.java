package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.dashboard.web.Dashboard;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** When there is a dashboard, and what the log says where there is none. */
@ExtendWith(OutputCaptureExtension.class)
class StartTest {

    @SpringBootConfiguration
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration"
            })
    @Import(PostgresTestConfiguration.class)
    static class WithoutAccess {}

    @Test
    void itIsOffUnlessItIsAskedFor() {
        try (ConfigurableApplicationContext context =
                start(WebApplicationType.SERVLET, "rowlock.worker.enabled=false")) {
            assertThat(context.getBeansOfType(Dashboard.class)).isEmpty();
        }
    }

    @Test
    void withoutAnAccessBeanNobodyGetsInAndTheLogSaysHow(CapturedOutput log) {
        try (ConfigurableApplicationContext context =
                start(WebApplicationType.SERVLET, "rowlock.dashboard.enabled=true", "rowlock.worker.enabled=false")) {
            int port = ((ServletWebServerApplicationContext) context)
                    .getWebServer()
                    .getPort();
            Http http = new Http("http://localhost:%d/rowlock".formatted(port));

            assertThat(http.get("/", "admin").statusCode()).isEqualTo(403);
            assertThat(http.get("/api/jobs", "admin").statusCode()).isEqualTo(403);
            assertThat(http.get("/", "admin").body()).contains("DashboardAccess");
            assertThat(log).contains("denies all access: add a bean of type").contains("DashboardAccess.byRoles(");
        }
    }

    @Test
    void withoutAWebServerTheApplicationStartsAndTheLogSaysWhatIsMissing(CapturedOutput log) {
        try (ConfigurableApplicationContext context =
                start(WebApplicationType.NONE, "rowlock.dashboard.enabled=true", "rowlock.worker.enabled=false")) {
            assertThat(context.getBeansOfType(Dashboard.class)).isEmpty();
            assertThat(log).contains("there is no dashboard: it needs an application on Spring MVC");
        }
    }

    /** Its web server would wait for requests that have not ended, here for longer than the test may take. */
    @Test
    void anOpenStreamDoesNotHoldUpTheEndOfTheApplication() throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(PlainApplication.class)
                .properties("server.port=0", "rowlock.dashboard.enabled=true", "rowlock.worker.enabled=false")
                .properties("spring.lifecycle.timeout-per-shutdown-phase=10m")
                .run();
        int port = ((ServletWebServerApplicationContext) context).getWebServer().getPort();
        HttpResponse<InputStream> stream = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:%d/rowlock/api/live".formatted(port)))
                                .header(PlainApplication.LEVEL, "read_only")
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(stream.statusCode()).isEqualTo(200);

        context.close();

        stream.body().close();
    }

    @Test
    void aMisspeltPropertyStopsTheStart(CapturedOutput log) {
        assertThatThrownBy(() -> start(WebApplicationType.SERVLET, "rowlock.dashboard.enbled=true")
                        .close())
                .isInstanceOf(RuntimeException.class);

        assertThat(log)
                .contains(
                        "there is no property rowlock.dashboard.enbled; did you mean rowlock.dashboard.enabled? Below rowlock.dashboard there are accent, enabled,");
    }

    @Test
    void aMisspeltValueStopsTheStart(CapturedOutput log) {
        assertThatThrownBy(() -> start(WebApplicationType.SERVLET, "rowlock.dashboard.enabled=ture")
                        .close())
                .isInstanceOf(RuntimeException.class);

        assertThat(log).contains("Property: rowlock.dashboard.enabled", "Value: \"ture\"");
    }

    private static ConfigurableApplicationContext start(WebApplicationType type, String... properties) {
        return new SpringApplicationBuilder(WithoutAccess.class)
                .web(type)
                .properties("server.port=0")
                .properties(properties)
                .run();
    }
}
