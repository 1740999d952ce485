package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.Sync;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** What the page of limits asks for. */
@DashboardTest
class GatesTest {

    private final Http http;
    private final QueueLimits limits;
    private final JobTemplate jobs;
    private final JdbcClient sql;

    GatesTest(
            @LocalServerPort int port,
            @Autowired QueueLimits limits,
            @Autowired JobTemplate jobs,
            @Autowired DataSource dataSource) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.limits = limits;
        this.jobs = jobs;
        this.sql = JdbcClient.create(dataSource);
    }

    @Test
    void aBlockedKeyNamesTheJobThatHoldsItUpAndGoesOnWithoutIt() {
        limits.set(QueueLimit.of("accounts").inOrder(AfterFailure.HOLD));
        String failed = dead("accounts", "account-7");
        jobs.enqueue(new Sync("behind it"), o -> o.queue("accounts").key("account-7"));

        JsonNode blocked = http.json("gates/keys?queue=accounts", "read_only").get("blocked");
        assertThat(blocked.size()).isEqualTo(1);
        assertThat(blocked.get(0).get("key").asString()).isEqualTo("account-7");
        assertThat(blocked.get(0).get("job").asString()).isEqualTo(failed);
        assertThat(blocked.get(0).get("jobs").asInt()).isEqualTo(1);

        String it = "{\"ids\": [\"%s\"], \"why\": \"go on without it\"}".formatted(failed);
        assertThat(http.post("jobs/discard", "operator", it).statusCode()).isEqualTo(403);
        assertThat(http.post("jobs/discard", "admin", it).body()).contains("CHANGED");

        assertThat(http.json("gates/keys?queue=accounts", "read_only")
                        .get("blocked")
                        .size())
                .isZero();
    }

    @Test
    void anOperatorSkipsTheFailedJobOfABlockedKeyWhichStays() {
        limits.set(QueueLimit.of("ledger").inOrder(AfterFailure.HOLD));
        String failed = dead("ledger", "account-8");
        String it = "{\"queue\": \"ledger\", \"key\": \"account-8\", \"why\": \"known error\"}";
        assertThat(http.json("gates/keys?queue=ledger", "read_only")
                        .get("blocked")
                        .size())
                .isEqualTo(1);

        assertThat(http.post("gates/skip", "read_only", it).statusCode()).isEqualTo(403);
        assertThat(http.post("gates/skip", "operator", it).body()).isEqualTo("{\"jobs\":1}");

        assertThat(http.json("gates/keys?queue=ledger", "read_only")
                        .get("blocked")
                        .size())
                .isZero();
        assertThat(http.json("jobs/" + failed, "read_only").get("state").asString())
                .isEqualTo("dead");
        assertThat(http.json("audit?subject=queue+ledger", "read_only").toString())
                .contains("\"action\":\"skip\"", "known error", "key account-8");
        assertThat(http.post("jobs/redrive", "operator", "{\"ids\": [\"%s\"]}".formatted(failed))
                        .body())
                .contains("CHANGED");
    }

    @Test
    void whereNoFailedJobBlocksTheKeyNothingIsSkipped() {
        assertThat(http.post("gates/skip", "operator", "{\"queue\": \"ledger\", \"key\": \"account-9\"}"))
                .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(409))
                .satisfies(answer -> assertThat(answer.body())
                        .contains("no dead job holds up key 'account-9' of queue 'ledger'", "can be cancelled"));
        assertThat(http.post("gates/skip", "operator", "{\"queue\": \"ledger\"}")
                        .statusCode())
                .isEqualTo(400);
    }

    /** A queue may have as many weights as it has tenants. */
    @Test
    void theHundredKeysWithTheHighestWeightsAreShown() {
        IntStream.rangeClosed(1, 103).forEach(i -> limits.weight("weighted", "tenant-" + i, 2 + i % 100));

        JsonNode weights = http.json("gates/keys?queue=weighted", "read_only").get("weights");

        assertThat(weights.size()).isEqualTo(100);
        assertThat(weights.get(0)).hasToString("{\"key\":\"tenant-99\",\"weight\":101}");
        assertThat(weights.get(1)).hasToString("{\"key\":\"tenant-98\",\"weight\":100}");
        assertThat(weights.get(99)).hasToString("{\"key\":\"tenant-2\",\"weight\":4}");
    }

    private String dead(String queue, String key) {
        return sql.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type, payload)
                VALUES (nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', ?, ?, 'sync', '{}') RETURNING id
                """).params(queue, key).query(String.class).single();
    }
}
