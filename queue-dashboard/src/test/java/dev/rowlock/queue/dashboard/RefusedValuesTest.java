package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.Report;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Values that cannot be stored, or looked for: whoever sends them is told, and the log of the application says nothing. */
@DashboardTest
@ExtendWith(OutputCaptureExtension.class)
class RefusedValuesTest {

    private static final String FAR = "%2B1000000000-12-31T23:59:59Z";
    private static final String LONG_AGO = "-1000000000-01-01T00:00:00Z";

    private final Http http;
    private final JobTemplate jobs;
    private final JdbcClient sql;

    RefusedValuesTest(@LocalServerPort int port, @Autowired JobTemplate jobs, @Autowired JdbcClient sql) {
        this.sql = sql;
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.jobs = jobs;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jobs?queue=%00",
                "jobs?type=%00",
                "jobs?key=%00",
                "jobs?type=a&uniqueKey=%00",
                "jobs?node=%00",
                "jobs?errorType=%00",
                "jobs?payload=",
                "jobs?payload=%24.a%20%3D%3D%20%22%00%22",
                "jobs?payload=%24.a%20%3D%3D%20%22%5Cu0000%22",
                "jobs?header=a%3D%00",
                "jobs?endedFrom=" + FAR,
                "jobs?endedUntil=" + LONG_AGO,
                "jobs/count?endedFrom=" + FAR,
                "errors?afterJobs=1&afterGroup=%00",
                "errors?endedFrom=" + FAR,
                "audit?who=%00",
                "audit?subject=%00",
                "gates/keys?queue=%00",
                "schedules?find=%00",
                "workflows/1/jobs?step=%00"
            })
    void asParameters(String query, CapturedOutput log) {
        assertRefused(http.get("/api/" + query, "admin"), log);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "queues/pause     | {\"name\": \"\\u0000\"}",
                "queues/pause     | {\"name\": \"mail\", \"why\": \"\\u0000\"}",
                "types/pause      | {\"name\": \"\\u0000\"}",
                "schedules/pause  | {\"name\": \"\\u0000\"}",
                "schedules/run    | {\"name\": \"\\u0000\"}",
                "gates/set        | {\"queue\": \"\\u0000\", \"maxRunning\": 1}",
                "gates/remove     | {\"queue\": \"\\u0000\"}",
                "gates/weight     | {\"queue\": \"mail\", \"key\": \"\\u0000\", \"weight\": 2}",
                "gates/slow-down  | {\"queue\": \"mail\", \"key\": \"\\u0000\", \"seconds\": 1}",
                "gates/slow-down  | {\"queue\": \"mail\", \"seconds\": 9223372036854775807}",
                "gates/slow-down  | {\"queue\": \"mail\", \"seconds\": -9223372036854775808}",
                "gates/skip       | {\"queue\": \"mail\", \"key\": \"\\u0000\"}",
                "actions/count    | {\"filter\": {\"payload\": \"\"}}",
                "actions/count    | {\"filter\": {\"node\": \"\\u0000\"}}",
                "actions/cancel   | {\"filter\": {\"dueFrom\": \"+1000000000-12-31T23:59:59Z\"}, \"confirmed\": 0}",
                "actions/redrive  | {\"filter\": {\"endedFrom\": \"-1000000000-01-01T00:00:00Z\"}, \"confirmed\": 0}"
            })
    void inWhatIsSent(String path, String body, CapturedOutput log) {
        assertRefused(http.post(path, "admin", body), log);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jobs/payload    | \"payload\": \"\"",
                "jobs/payload    | \"payload\": \"\", \"unchecked\": true",
                "jobs/payload    | \"payload\": \" \", \"unchecked\": true",
                "jobs/payload    | \"payload\": \"\\u0000\", \"unchecked\": true",
                "jobs/payload    | \"payload\": \"null\", \"unchecked\": true",
                "jobs/reschedule | \"at\": \"+1000000000-12-31T23:59:59Z\"",
                "jobs/reschedule | \"at\": \"-1000000000-01-01T00:00:00Z\"",
                "jobs/reschedule | \"delaySeconds\": 9223372036854775807",
                "jobs/reschedule | \"delaySeconds\": -9223372036854775808",
                "jobs/priority   | \"priority\": 2147483647",
                "jobs/cancel     | \"why\": \"\\u0000\""
            })
    void forAJob(String path, String change, CapturedOutput log) {
        long job = jobs.enqueue(new Report("stays"), o -> o.delay(Duration.ofHours(1)));

        assertRefused(http.post(path, "admin", "{\"ids\": [\"%d\"], %s}".formatted(job, change)), log);

        assertThat(http.json("jobs/" + job, "admin").get("payload").asString()).contains("stays");
    }

    /** A constraint or trigger of an operator's. */
    @Test
    void whatTheDatabaseRefusesIsNoSilenceOfTheDatabase() {
        long job = jobs.enqueue(new Report("stays"), o -> o.delay(Duration.ofHours(1)));
        sql.sql("ALTER TABLE rowlock.waiting ADD CONSTRAINT low CHECK (rank > -7)")
                .update();

        HttpResponse<String> refused =
                http.post("jobs/priority", "admin", "{\"ids\": [\"%d\"], \"priority\": 8}".formatted(job));

        sql.sql("ALTER TABLE rowlock.waiting DROP CONSTRAINT low").update();
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("the database refuses this");
    }

    @Test
    void theAuditHasNoLinesOfSuchTimes(CapturedOutput log) {
        for (String query : new String[] {"from=" + FAR, "until=" + LONG_AGO}) {
            assertThat(http.json("audit?" + query, "admin").get("lines")).isEmpty();
        }
        assertThat(log.getAll()).doesNotContain("\tat ");
    }

    private static void assertRefused(HttpResponse<String> response, CapturedOutput log) {
        assertThat(response.statusCode()).as(response.body()).isBetween(400, 499);
        assertThat(response.body()).contains("error").doesNotContain("at dev.rowlock");
        assertThat(log.getAll()).doesNotContain("\tat ");
    }

    @Test
    void aReasonOfAThousandCharactersIsKept() {
        assertThat(http.post(
                                "queues/pause",
                                "admin",
                                "{\"name\": \"long\", \"why\": \"%s\"}".formatted("x".repeat(1_000)))
                        .statusCode())
                .isEqualTo(200);
        assertThat(http.post(
                                "queues/resume",
                                "admin",
                                "{\"name\": \"long\", \"why\": \"%s\"}".formatted("x".repeat(1_001)))
                        .statusCode())
                .isEqualTo(400);
        assertThat(http.post("queues/resume", "admin", "{\"name\": \"long\"}").statusCode())
                .isEqualTo(200);
    }
}
