package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.job.FailedAttempt;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A job's errors as they lie in its row: a JSON array that {@code with_error} appends to. */
public final class ErrorHistory {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ErrorHistory() {}

    /** Oldest first; none for null. */
    public static List<FailedAttempt> decode(@Nullable String document) {
        List<FailedAttempt> errors = new ArrayList<>();
        if (document != null) {
            JSON.readTree(document).forEach(error -> errors.add(entry(error)));
        }
        return List.copyOf(errors);
    }

    /** One entry; null for null. */
    public static @Nullable FailedAttempt decodeOne(@Nullable String document) {
        return document == null ? null : entry(JSON.readTree(document));
    }

    private static FailedAttempt entry(JsonNode error) {
        return new Entry(
                error.path("attempt").asInt(),
                error.path("claimedAt").isString() ? instant(error.path("claimedAt")) : null,
                instant(error.path("at")),
                error.path("node").isNumber() ? error.path("node").asLong() : null,
                error.path("type").asString(),
                error.path("message").asString(),
                error.path("trace").asString());
    }

    private static Instant instant(JsonNode time) {
        return OffsetDateTime.parse(time.asString()).toInstant();
    }

    private record Entry(
            int attempt,
            @Nullable Instant startedAt,
            Instant at,
            @Nullable Long nodeId,
            String type,
            String message,
            String trace)
            implements FailedAttempt {}
}
