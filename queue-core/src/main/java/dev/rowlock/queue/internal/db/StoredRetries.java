package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.job.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A retry policy as it is stored, in a job's headers and in its node's row: {@code {"maxRetries": 25, "waits": [1000, 2000],
 * "jitter": 0.2, "longest": 10800000, "giveUpAfter": 86400000}}, times in milliseconds. The last wait is for all further
 * attempts; there may be no jitter, no longest wait with jitter, and no time to give up. {@link OverdueStatements} reads it in SQL.
 */
public final class StoredRetries {

    private StoredRetries() {}

    /** Without rules for exceptions, and with this many waits at most. */
    public static ObjectNode of(RetryPolicy policy, int mostWaits) {
        ObjectNode stored = JsonNodeFactory.instance.objectNode().put("maxRetries", policy.maxRetries());
        ArrayNode waits = stored.putArray("waits");
        policy.backoffs(mostWaits).forEach(wait -> waits.add(wait.toMillis()));
        if (policy.jitter() > 0) {
            stored.put("jitter", policy.jitter());
            stored.put("longest", policy.maxInterval().toMillis());
        }
        Duration giveUpAfter = policy.giveUpAfter();
        if (giveUpAfter != null) {
            stored.put("giveUpAfter", giveUpAfter.toMillis());
        }
        return stored;
    }

    static RetryPolicy policy(JsonNode stored) {
        List<Duration> waits = new ArrayList<>();
        stored.get("waits").forEach(wait -> waits.add(Duration.ofMillis(wait.asLong())));
        RetryPolicy policy = RetryPolicy.intervals(waits)
                .maxRetries(stored.get("maxRetries").asInt())
                .jitter(stored.path("jitter").asDouble(0));
        JsonNode longest = stored.get("longest");
        if (longest != null) {
            policy = policy.maxInterval(Duration.ofMillis(longest.asLong()));
        }
        JsonNode giveUpAfter = stored.get("giveUpAfter");
        return giveUpAfter == null ? policy : policy.giveUpAfter(Duration.ofMillis(giveUpAfter.asLong()));
    }
}
