package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.test.browser.Browser;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.security.web.SecurityFilterChain;

/** The dashboard in an application with Spring Security. */
@SpringBootTest(
        classes = SecuredApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "rowlock.dashboard.enabled=true")
class SecuredTest {

    private final int port;
    private final Http http;
    private final JobAdmin admin;
    private final ApplicationContext context;

    SecuredTest(@LocalServerPort int port, @Autowired JobAdmin admin, @Autowired ApplicationContext context) {
        this.port = port;
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.admin = admin;
        this.context = context;
    }

    /** With another one, Boot's would back off, and everything else of the application would be open. */
    @Test
    void theApplicationsSecurityStaysAsItWas() {
        assertThat(context.getBeansOfType(SecurityFilterChain.class)).hasSize(1);
        Http root = new Http("http://localhost:" + port);

        assertThat(root.send(root.request("/anything")).statusCode()).isEqualTo(401);
    }

    @Test
    void whoHasNotLoggedInOrHasNoRoleGetsNothing() {
        assertThat(http.send(http.request("/")).statusCode()).isEqualTo(401);
        assertThat(http.send(as("clara", "/")).statusCode()).isEqualTo(403);
        assertThat(http.send(as("clara", "/api/jobs")).statusCode()).isEqualTo(403);
        assertThat(http.send(as("vera", "/")).statusCode()).isEqualTo(200);
    }

    @Test
    void aChangeWithoutTheTokenIsRefused() {
        HttpResponse<String> response = http.send(as("otto", "/api/queues/pause")
                .header("Content-Type", "application/json")
                .header("X-Rowlock-Dashboard", "1")
                .POST(HttpRequest.BodyPublishers.ofString("{\"name\": \"mail\"}")));

        assertThat(response.statusCode()).isIn(401, 403);
        assertThat(admin.pauses()).isEmpty();
    }

    @Test
    void anOperatorLogsInAndPausesAQueueInHisName() {
        try (Browser browser = Browser.start("http://localhost:%d/rowlock/".formatted(port))) {
            browser.driver().get("http://localhost:%d/rowlock/".formatted(port));
            browser.type("input[name=username]", "otto").type("input[name=password]", "pw");
            browser.click("button[type=submit]").settled();
            browser.awaitText("#top", "otto · operator");
            browser.screenshot("secured");
            browser.clickText("main button", "Pause a type…").type("dialog input[name=name]", "charge");
            browser.click("dialog [data-confirm]");
            browser.awaitText("#pauses", "by otto");
            assertThat(browser.text("main")).doesNotContain("Pause everything");

            // As after another log-in in a second window: the page's token is of a session that has ended.
            browser.script("return fetch('api/me')");
            browser.clickText("#pauses button", "Resume");
            browser.await("it is resumed", d -> admin.pauses().isEmpty());

            assertThat(admin.audit(null, 1).get(0).who()).isEqualTo("otto");
            assertThat(browser.console())
                    .filteredOn(line -> line.contains("/rowlock/"))
                    .isEmpty();
        }
    }

    private HttpRequest.Builder as(String user, String path) {
        String credentials = Base64.getEncoder().encodeToString((user + ":pw").getBytes(StandardCharsets.UTF_8));
        return http.request(path).header("Authorization", "Basic " + credentials);
    }
}
