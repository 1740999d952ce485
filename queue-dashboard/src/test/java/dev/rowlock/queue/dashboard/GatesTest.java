package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimits;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What the page of limits asks for. */
@DashboardTest
class GatesTest {

    private final Http http;
    private final QueueLimits limits;

    GatesTest(@LocalServerPort int port, @Autowired QueueLimits limits) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.limits = limits;
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
}
