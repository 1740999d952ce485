package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.job.JobOptions;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What is done to many jobs by one call. */
@DashboardTest
class BulkTest {

    private final Http http;
    private final JobTemplate jobs;
    private final JobAdmin admin;

    BulkTest(@LocalServerPort int port, @Autowired JobTemplate jobs, @Autowired JobAdmin admin) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.jobs = jobs;
        this.admin = admin;
    }

    @BeforeEach
    void thirtyJobsWait() {
        admin.bulkActions(null, 100).forEach(action -> admin.cancelBulkAction(action.id()));
        jobs.enqueueAll(
                IntStream.range(0, 30)
                        .mapToObj(i -> new SendMail("a@example.com", null))
                        .toList(),
                JobOptions.NONE.delay(Duration.ofHours(1)));
    }

    private static final String QUEUE = "{\"filter\": {\"queue\": \"mail\"}";

    @Test
    void theNumberIsSaidFirstAndRepeated() {
        JsonNode counts = tools.jackson.databind.json.JsonMapper.shared()
                .readTree(http.post("actions/count", "operator", QUEUE + "}").body());
        long waiting = counts.get("CANCEL").get("jobs").asLong();

        HttpResponse<String> begun = http.post(
                "actions/cancel", "operator", QUEUE + ", \"confirmed\": %d, \"why\": \"ticket 7\"}".formatted(waiting));

        assertThat(waiting).isGreaterThanOrEqualTo(30);
        assertThat(counts.get("REDRIVE").get("jobs").asLong()).isZero();
        assertThat(begun.statusCode()).isEqualTo(200);
        assertThat(admin.audit(null, 1)).singleElement().satisfies(line -> {
            assertThat(line.who()).isEqualTo("ann");
            assertThat(line.why()).isEqualTo("ticket 7");
        });
    }

    /** Each count is a search: over millions of jobs one takes long enough. */
    @Test
    void onlyWhatIsAskedForIsCounted() {
        String counts = http.post("actions/count", "operator", QUEUE + ", \"kind\": \"CANCEL\"}")
                .body();

        assertThat(counts).contains("CANCEL").doesNotContain("REDRIVE", "DISCARD");
    }

    @Test
    void farMoreJobsThanTheUserHasSeenAreLeftAlone() {
        HttpResponse<String> response = http.post("actions/cancel", "operator", QUEUE + ", \"confirmed\": 3}");

        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.body()).contains("there were 3 jobs, and now there are");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"filter\": {}, \"confirmed\": 100}",
                "{\"confirmed\": 100}",
                "{\"filter\": {\"queu\": \"mail\"}, \"confirmed\": 100}",
                "{\"filter\": {\"queue\": \"mail\"}}",
                "{\"filter\": {\"queue\": \"mail\", \"state\": \"completed\"}, \"confirmed\": 100}",
                "{\"filter\": {\"queue\": \"mail\"}, \"confirmed\": 10000, \"perSecond\": 0}",
                "{\"filter\": {\"queue\": \"mail\"}, \"confirmed\": \"100\"}x",
                "{\"filter\": {\"queue\": \"mail\"}, \"confirmed\": 100, \"kind\": \"RENAME\"}"
            })
    void whatDoesNotSayExactlyWhichJobsIsRefused(String body) {
        assertThat(http.post("actions/cancel", "admin", body).statusCode()).isEqualTo(400);
    }

    @Test
    void allJobsMustBeAskedForByName() {
        assertThat(http.post("actions/count", "operator", "{\"filter\": {\"all\": \"true\"}}")
                        .statusCode())
                .isEqualTo(200);
    }
}
