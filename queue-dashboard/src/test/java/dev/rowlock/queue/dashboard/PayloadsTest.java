package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.dashboard.access.PayloadRedaction;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.spi.EncryptionKeys;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
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
                return text.contains("endless") ? endless(text) : text.replaceAll("4111|5105", "…");
            };
        }

        /** As a regular expression does with a long text. */
        private static String endless(String text) {
            return endless(text) + text;
        }
    }

    private final Http http;
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final JdbcClient sql;
    private final int port;

    PayloadsTest(
            @LocalServerPort int port,
            @Autowired JobTemplate jobs,
            @Autowired JobAdmin admin,
            @Autowired JdbcClient sql) {
        this.port = port;
        this.sql = sql;
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
        admin.cancel(JobFilter.where().queue("none").payload("$.secret == 1"));

        for (String path : List.of("jobs/" + job, "jobs", "actions", "audit", "overview", "errors")) {
            String answer = http.get("/api/" + path, "read_only").body();

            assertThat(answer).as(path).doesNotContain("secret", "4111");
        }
        assertThat(http.json("jobs/" + job, "read_only").get("hidden").asBoolean())
                .isTrue();
    }

    @Test
    void whatIsEncryptedSaysSoWhereTheKeysAreNot(@Autowired DataSource dataSource) {
        EncryptionKeys keys = EncryptionKeys.of("elsewhere", Map.of("elsewhere", new byte[32]));
        long job;
        try (Rowlock elsewhere =
                Rowlock.builder(dataSource).schemaElsewhere().encryption(keys).build()) {
            job = elsewhere
                    .jobs()
                    .enqueue(
                            new SendMail("secret@example.com", "hello"),
                            o -> o.queue("mail").delay(Duration.ofHours(1)));
        }

        JsonNode shown = http.json("jobs/" + job, "admin");

        assertThat(shown.get("payload").asString())
                .contains("(encrypted: the payload is encrypted with key 'elsewhere'")
                .doesNotContain("secret");
        String search = http.get("/api/jobs?payload=%24.to%20starts%20with%20%22s%22", "admin")
                .body();
        assertThat(search).contains("payloads are encrypted, so that the database cannot look for");
        admin.cancel(job);
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

    /** Letter by letter: whether a line is found tells whether the text stands in it. */
    @Test
    void theFilterOfABulkActionIsFoundByThoseOnlyWhoMaySeeIt() {
        admin.cancel(JobFilter.where().queue("none").payload("$.card == \"5500\""));
        admin.by("ann", null).pause("card-5500");

        for (String level : List.of("read_only", "operator")) {
            assertThat(http.json("audit?subject=5500", level).get("lines"))
                    .as(level)
                    .singleElement()
                    .satisfies(
                            line -> assertThat(line.get("subject").asString()).isEqualTo("queue card-5500"));
        }
        assertThat(http.json("audit?subject=5500", "admin").get("lines")).hasSize(2);
        admin.resume("card-5500");
    }

    /** It quotes the payload as it is stored, without what the application takes out. */
    @Test
    void whereSomethingIsTakenOutOnlyAdminsSeeTheFiltersOfBulkActions() {
        long action = admin.cancel(JobFilter.where().queue("none").header("card", "6011"))
                .id();

        for (String path : List.of("actions", "actions/" + action, "audit")) {
            assertThat(http.get("/api/" + path, "operator").body()).as(path).doesNotContain("6011");
            assertThat(http.get("/api/" + path, "admin").body()).as(path).contains("6011");
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
    void whatErrorsAndProgressSayIsTakenOutWhereverItIsShown() throws Exception {
        long id = job("card");
        sql.sql("""
                WITH waited AS (DELETE FROM rowlock.waiting WHERE id = ? RETURNING *)
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload,
                                             progress, progress_note, errors)
                SELECT id, 1, 1, due_at, enqueued_at, now(), rank, 2, 0, queue, type, payload, 40, 'at card 4111',
                       jsonb_build_array(jsonb_build_object('attempt', 1, 'at', now(), 'type', 'E', 'message', 'card 4111 is refused',
                                                            'trace', E'E: 4111\n\tat shop.Pay.charge(Pay.java:1)'))
                  FROM waited
                """).param(id).update();
        sql.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload, errors)
                SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', queue, type, '{}', errors FROM rowlock.running WHERE id = ?
                """).param(id).update();

        JsonNode seen = http.json("jobs/" + id, "read_only");
        String listed = http.json("jobs?queue=mail", "read_only").toString();
        String dead = http.json("errors", "read_only").toString();
        String retried = http.json("errors/retrying", "read_only").toString();

        assertThat(seen.get("progressNote").asString()).isEqualTo("at card …");
        assertThat(seen.get("errors").get(0).get("trace").asString()).startsWith("E: …");
        assertThat(List.of(seen.toString(), listed, dead, retried))
                .allSatisfy(answer ->
                        assertThat(answer).contains("card … is refused").doesNotContain("4111"));
        assertThat(live("job=" + id)).contains("at card …").doesNotContain("4111");
    }

    /** What comes of this job. */
    private String live(String query) throws Exception {
        HttpResponse<Stream<String>> stream = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create("http://localhost:%d/rowlock/api/live?%s".formatted(port, query)))
                                .header(PlainApplication.LEVEL, "read_only")
                                .build(),
                        HttpResponse.BodyHandlers.ofLines());
        try (Stream<String> lines = stream.body()) {
            return lines.filter(line -> line.contains("progressNote"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void reasonsWhyAJobWaitsAreRedactedToo() {
        admin.by("bob", "until card 5105 is known").pause("reasons");
        long job = jobs.enqueue(new SendMail("a@b.c", null), o -> o.queue("reasons"));

        assertThat(http.json("jobs/" + job, "read_only").get("reasons").toString())
                .contains("until card … is known")
                .doesNotContain("5105");
        admin.resume("reasons");
    }

    @Test
    void aRedactionThatFailsShowsNothing() {
        long job = job("unreadable");

        assertThat(http.json("jobs/" + job, "admin").get("payload").asString())
                .contains("not shown")
                .doesNotContain("unreadable");
    }

    @Test
    void aRedactionThatRunsOutOfStackShowsNothingAndLiveFiguresGoOn() throws Exception {
        long payload = job("endless");
        long running = job("card");
        sql.sql("""
                WITH waited AS (DELETE FROM rowlock.waiting WHERE id = ? RETURNING *)
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload,
                                             progress, progress_note)
                SELECT id, 1, 1, due_at, enqueued_at, now(), rank, 1, 0, queue, type, payload, 40, 'endless'
                  FROM waited
                """).param(running).update();

        assertThat(http.json("jobs/" + payload, "admin").get("payload").asString())
                .contains("not shown")
                .doesNotContain("endless");
        assertThat(live("job=" + running)).contains("not shown").doesNotContain("endless");
        assertThat(live("job=" + running)).contains("not shown");
    }
}
