package com.example.notes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.test.postgres.PostgresTestConfiguration;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;

/** What the dashboard's pages load, and what they do, on this version of Spring Boot. Its own tests open them in a browser, on the newest. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@Import(PostgresTestConfiguration.class)
class DashboardTest {

    private static final Pattern LOADED = Pattern.compile("(?:src|href)=\"([^\"]+)\"|from '\\./([^']+)'");

    private final HttpClient client = HttpClient.newHttpClient();

    @Value("${local.server.port}")
    int port;

    @Autowired
    JobOperations jobs;

    @Autowired
    JobAdmin admin;

    @Test
    void thePageAndAllThatItLoadsAreThere() throws Exception {
        HttpResponse<String> page = get("");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
        assertLoaded("", page.body(), 3);
        assertLoaded("js/", get("js/main.js").body(), 10);
        assertThat(client.send(request("").build(), HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(403);
    }

    private void assertLoaded(String folder, String text, int least) throws Exception {
        int found = 0;
        Matcher names = LOADED.matcher(text);
        while (names.find()) {
            String name = folder + (names.group(1) == null ? names.group(2) : names.group(1));
            assertThat(get(name).statusCode()).as(name).isEqualTo(200);
            found++;
        }
        assertThat(found).isGreaterThanOrEqualTo(least);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "me",
                "overview",
                "throughput",
                "nodes",
                "doctor",
                "audit",
                "jobs",
                "jobs/count",
                "errors",
                "errors/retrying",
                "actions",
                "pauses",
                "schedules",
                "workflows",
                "gates",
                "gates/keys?queue=notes"
            })
    void eachPageHasItsFigures(String operation) throws Exception {
        HttpResponse<String> answer = get("api/" + operation);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).matches("(?s)[{\\[].*[}\\]]");
    }

    @Test
    void aJobIsFoundAndCancelledInTheUsersName() throws Exception {
        long job = jobs.enqueue(new Note("for tomorrow"), o -> o.delay(Duration.ofDays(1)));
        assertThat(get("api/jobs/" + job).body()).contains("for tomorrow", "\"waiting\"");

        HttpResponse<String> answer = client.send(
                request("api/jobs/cancel")
                        .header("X-Name", "ada")
                        .header("X-Rowlock-Dashboard", "1")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"ids\": [\"%d\"]}".formatted(job)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());

        assertThat(answer.body()).contains("CANCELLED");
        assertThat(admin.audit(null, 1))
                .first()
                .satisfies(line -> assertThat(line.who()).isEqualTo("ada"));
    }

    @Test
    void figuresComeLive() throws Exception {
        HttpRequest live = request("api/live").header("X-Name", "ada").build();
        try (InputStream stream = client.send(live, HttpResponse.BodyHandlers.ofInputStream())
                        .body();
                BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            await().atMost(Duration.ofSeconds(30)).until(() -> "event: nodes".equals(line(lines)));
        }
    }

    private static String line(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        assertThat(line).as("a line, and not the end of the stream").isNotNull();
        return line;
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(request(path).header("X-Name", "ada").build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:%d/rowlock/%s".formatted(port, path)))
                .timeout(Duration.ofSeconds(30));
    }
}
