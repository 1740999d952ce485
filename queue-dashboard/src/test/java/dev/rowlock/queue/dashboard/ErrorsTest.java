package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.JsonNode;

/** Kinds of errors, of dead jobs and of jobs that are tried again. */
@DashboardTest
// An application of its own: all viewers of a minute see the same sums, and a test before this one may have been such a
// viewer.
@TestPropertySource(properties = "spring.application.name=errors")
class ErrorsTest {

    private static final int LOOKED_AT = 50_000;

    private final Http http;
    private final JdbcClient sql;

    ErrorsTest(@LocalServerPort int port, @Autowired JdbcClient sql) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.sql = sql;
    }

    @BeforeEach
    void twentyJobsAreTriedAgain() {
        sql.sql("DELETE FROM rowlock.waiting WHERE queue = 'partners'").update();
        sql.sql("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, attempt, queue, type, job_key, payload, errors)
                SELECT nextval('rowlock.job_id'), now() + i * interval '1 min', now(), 'retry', 0, 1, 'partners', 'sync', 'tenant-9', '{}',
                       jsonb_build_array(jsonb_build_object('attempt', 1, 'at', now() - interval '90 min', 'claimedAt', now() - interval '91 min',
                                                            'type', 'E', 'message', 'partner ' || i || ' is away', 'trace', ''))
                  FROM generate_series(1, 20) AS i
                """).update();
    }

    @Test
    void jobsThatAreTriedAgainAreAGroupWithATrend() {
        JsonNode found = http.json("errors/retrying?queue=partners", "read_only");

        assertThat(found.get("complete").asBoolean()).isTrue();
        assertThat(found.get("groups")).hasSize(1);
        JsonNode group = found.get("groups").get(0);
        assertThat(group.get("jobs").asLong()).isEqualTo(20);
        assertThat(group.get("type").asString()).isEqualTo("sync");
        assertThat(group.get("trend")).hasSize(24);
        assertThat(group.get("trend").get(22).asLong()).isEqualTo(20);
        assertThat(group.get("dueUntil").isNull()).isTrue();
    }

    @Test
    void theOverviewHasTheAttemptsThatFailedInTheLastHourByQueue() {
        sql.sql("""
                UPDATE rowlock.waiting SET errors = errors || jsonb_build_array(errors -> 0 || jsonb_build_object('attempt', 2, 'at', now()))
                 WHERE queue = 'partners' AND id % 2 = 0
                """).update();

        JsonNode attempts = http.json("throughput", "read_only").get("attempts");

        assertThat(attempts.get("queues").get("partners").asLong()).isEqualTo(10);
        assertThat(attempts.get("minutes")).hasSize(60);
        assertThat(IntStream.range(55, 60)
                        .mapToLong(minute -> attempts.get("minutes").get(minute).asLong())
                        .sum())
                .isGreaterThanOrEqualTo(10);
        assertThat(attempts.get("complete").asBoolean()).isTrue();
    }

    @Test
    void aGroupLeadsToItsJobsWhichHaveKeysAndTellWhenTheirAttemptsBegan() {
        String fingerprint = fingerprint();

        JsonNode jobs = http.json("jobs?state=waiting&fingerprint=" + fingerprint, "read_only")
                .get("jobs");
        JsonNode failed = http.json("jobs/" + jobs.get(0).get("id").asString(), "read_only")
                .get("errors")
                .get(0);

        assertThat(jobs)
                .hasSize(20)
                .allSatisfy(job -> assertThat(job.get("key").asString()).isEqualTo("tenant-9"));
        assertThat(failed.get("startedAt").asString())
                .isLessThan(failed.get("at").asString());
    }

    @Test
    void allOfAGroupAreCancelledByOneAction() {
        String body = "{\"filter\": {\"state\": \"waiting,ready,running\", \"fingerprint\": \"%s\"}, \"confirmed\": 20}"
                .formatted(fingerprint());

        JsonNode counts = tools.jackson.databind.json.JsonMapper.shared()
                .readTree(http.post("actions/count", "operator", body).body());

        assertThat(counts.get("CANCEL").get("jobs").asLong()).isEqualTo(20);
        assertThat(http.post("actions/cancel", "operator", body).statusCode()).isEqualTo(200);
        assertThat(http.post("actions/cancel", "read_only", body).statusCode()).isEqualTo(403);
    }

    @Test
    void whereThereAreMoreJobsThanAreLookedAtTheGroupSaysWhichOnesWere() {
        sql.sql("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, rank, queue, type, payload)
                SELECT nextval('rowlock.job_id'), now() + interval '1 d', now(), 'scheduled', 0, 'partners', 'sync', '{}' FROM generate_series(1, ?) AS i
                """).param(LOOKED_AT).update();

        JsonNode found = http.json("errors/retrying", "read_only");
        String until = found.get("groups").get(0).get("dueUntil").asString();

        assertThat(found.get("complete").asBoolean()).isFalse();
        assertThat(http.json("jobs?state=waiting&queue=partners&dueUntil=" + until, "read_only")
                        .get("jobs"))
                .hasSize(20);
    }

    private String fingerprint() {
        return http.json("errors/retrying?queue=partners", "read_only")
                .get("groups")
                .get(0)
                .get("fingerprint")
                .asString();
    }
}
