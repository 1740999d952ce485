package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.dashboard.access.PayloadRedaction;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.JsonNode;

/** Who sees what jobs carry. */
@DashboardTest
@Import(PayloadsTest.Redacting.class)
class PayloadsTest {

    @TestConfiguration(proxyBeanMethods = false)
    static class Redacting {
        @Bean
        PayloadRedaction redaction() {
            return (part, type, text) -> {
                if (text.contains("unreadable")) {
                    throw new IllegalStateException(text);
                }
                return text.replace("4111", "…");
            };
        }
    }

    private final Http http;
    private final JobTemplate jobs;
    private final JobAdmin admin;

    PayloadsTest(@LocalServerPort int port, @Autowired JobTemplate jobs, @Autowired JobAdmin admin) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.jobs = jobs;
        this.admin = admin;
    }

    private long job(String subject) {
        return jobs.enqueue(
                new SendMail("secret@example.com", subject),
                o -> o.queue("mail").header("secret-header", "4111 secret").delay(Duration.ofHours(1)));
    }

    @Test
    void aReaderSeesNoneOfThemOnAnyPage() {
        long job = job("card 4111");
        admin.cancel(dev.rowlock.queue.search.JobFilter.where().queue("none").payload("$.secret == 1"));

        for (String path : List.of("jobs/" + job, "jobs", "actions", "audit", "overview", "errors")) {
            String answer = http.get("/api/" + path, "read_only").body();

            assertThat(answer).as(path).doesNotContain("secret", "4111");
        }
        assertThat(http.json("jobs/" + job, "read_only").get("hidden").asBoolean())
                .isTrue();
    }

    @Test
    void aReaderCannotFindOutByASearchEither() {
        for (String query : List.of("payload=%24.to%20starts%20with%20%22s%22", "header=a%3Db")) {
            assertThat(http.get("/api/jobs?" + query, "read_only").statusCode()).isEqualTo(403);
            assertThat(http.get("/api/jobs/count?" + query, "read_only").statusCode())
                    .isEqualTo(403);
            assertThat(http.get("/api/errors?" + query, "read_only").statusCode())
                    .isEqualTo(403);
        }
    }

    @Test
    void whatIsTakenOutIsSeenByNobodyAndSearchedByAdminsOnly() {
        long job = job("card 4111");

        JsonNode seen = http.json("jobs/" + job, "admin");

        assertThat(seen.get("payload").asString()).contains("card …").doesNotContain("4111");
        assertThat(seen.get("headers").get("secret-header").asString()).isEqualTo("… secret");
        assertThat(seen.get("redacted").asBoolean()).isTrue();
        assertThat(http.get("/api/jobs?payload=%24.to%20%3D%3D%20%22x%22", "operator")
                        .statusCode())
                .isEqualTo(403);
        assertThat(http.get("/api/jobs?payload=%24.to%20%3D%3D%20%22x%22", "admin")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aRedactionThatFailsShowsNothing() {
        long job = job("unreadable");

        assertThat(http.json("jobs/" + job, "admin").get("payload").asString())
                .contains("not shown")
                .doesNotContain("unreadable");
    }
}
