package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** What nodes run, and how much they could. */
@DashboardTest
class NodesTest {

    private final Http http;
    private final JdbcClient sql;

    NodesTest(@LocalServerPort int port, @Autowired JdbcClient sql) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.sql = sql;
    }

    @BeforeEach
    void twoNodesRunJobs() {
        sql.sql("""
                INSERT INTO rowlock.node (id, name, queues, slots, started_at, heartbeat_at, beats, lease_millis)
                VALUES (901, 'one', '{mail,print,idle}', '{10,2,5}', now(), now(), 1, 60000), (902, 'other', '{mail}', NULL, now(), now(), 1, 60000)
                """).update();
        running(901, "mail", 7);
        running(901, "print", 5);
        running(902, "mail", 3);
    }

    private void running(long node, String queue, int jobs) {
        sql.sql("""
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload)
                SELECT nextval('rowlock.job_id'), nextval('rowlock.claim_token'), ?, now(), now(), now() - i * interval '1 min', 0, 1, 0, ?, 'send', '{}'
                  FROM generate_series(1, ?) AS i
                """).params(node, queue, jobs).update();
    }

    @AfterEach
    void theyLeave() {
        sql.sql("DELETE FROM rowlock.running WHERE node_id IN (901, 902)").update();
        sql.sql("DELETE FROM rowlock.node WHERE id IN (901, 902)").update();
    }

    @Test
    void theListSaysHowManySlotsOfEachNodeHaveAJob() {
        JsonNode one = node(901);
        JsonNode other = node(902);

        assertThat(one.get("node").get("name").asString()).isEqualTo("one");
        assertThat(places(one)).containsExactly("17", "9", "3"); // of print, two of two, and three more for later
        assertThat(places(other)).containsExactly("null", "3", "0"); // of a release that does not say
    }

    @Test
    void aNodeSaysItForEachQueueAndSinceWhen() {
        JsonNode queues = http.json("nodes/901", "read_only").get("queues");

        assertThat(queues).extracting(queue -> queue.get("queue").asString()).containsExactly("idle", "mail", "print");
        assertThat(places(queues.get(0))).containsExactly("5", "0", "0");
        assertThat(places(queues.get(1))).containsExactly("10", "7", "0");
        assertThat(places(queues.get(2))).containsExactly("2", "2", "3");
        assertThat(queues.get(0).get("oldest").isNull()).isTrue();
        assertThat(queues.get(1).get("oldest").asString()).isNotBlank();
    }

    @Test
    void allThatANodeRunsIsPagedByIds() {
        List<String> seen = new ArrayList<>();
        String before = "";
        do {
            JsonNode page = http.json("nodes/901?size=5" + before, "read_only");
            page.get("jobs").forEach(job -> {
                assertThat(job.get("node").asString()).isEqualTo("901");
                seen.add(job.get("id").asString());
            });
            before = page.get("next").isNull()
                    ? null
                    : "&before=" + page.get("next").asString();
        } while (before != null);

        assertThat(seen).hasSize(12).doesNotHaveDuplicates();
    }

    @Test
    void aNodeThatHasLeftIsNotThere() {
        assertThat(http.get("/api/nodes/903", "read_only").statusCode()).isEqualTo(404);
    }

    private JsonNode node(long id) {
        for (JsonNode line : http.json("nodes", "read_only")) {
            if (line.get("node").get("id").asString().equals(Long.toString(id))) {
                return line;
            }
        }
        throw new AssertionError("node " + id + " is not listed");
    }

    private static List<String> places(JsonNode of) {
        JsonNode places = of.get("places");
        return List.of(
                places.get("slots").asString("null"),
                places.get("used").asString(),
                places.get("ahead").asString());
    }
}
