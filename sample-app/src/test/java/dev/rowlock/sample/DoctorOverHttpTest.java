package dev.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.AutoConfigureRowlock;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatusCode;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "sample.max-upload=10KB") // of no concern here: the context is that of the uploads
@AutoConfigureRowlock
@AutoConfigureEmbeddedPostgres
class DoctorOverHttpTest {

    private static final String ENDPOINT = "/actuator/rowlockdoctor";

    private final Shop shop;
    private final JdbcClient jdbc;

    DoctorOverHttpTest(@LocalServerPort int port, @Autowired JdbcClient jdbc) {
        this.shop = new Shop(port);
        this.jdbc = jdbc;
    }

    @Test
    void anOperatorReadsFindingsOverHttp() {
        jdbc.sql(
                        "INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('queue', 'none', now() - interval '2 days', 'ann')")
                .update();

        try {
            String text = shop.text(ENDPOINT);
            JsonNode answer = JsonMapper.shared().readTree(text);

            // What else it finds is of the server, which this test shares with others and their million jobs.
            assertThat(answer.get("findings").valueStream())
                    .filteredOn(finding -> finding.get("code").asString().equals("old-pause"))
                    .singleElement()
                    .satisfies(finding -> {
                        assertThat(finding.get("status").asString()).isEqualTo("WARN");
                        assertThat(finding.get("remedy").isNull()).isFalse();
                    });
            assertThat(answer.get("worst").asString()).isNotEqualTo("OK");
            assertThat(text).doesNotContainIgnoringCase("password").doesNotContain("jdbc:");
        } finally {
            jdbc.sql("DELETE FROM rowlock.pause").update();
        }
    }

    @Test
    void nothingCanBeChangedThroughIt() {
        HttpStatusCode status =
                shop.http().post().uri(ENDPOINT).exchange((request, response) -> response.getStatusCode());

        assertThat(status.value()).isEqualTo(405);
    }
}
