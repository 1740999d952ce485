package dev.rowlock.queue.gate;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job that a policy may choose. Its payload does not come along: what a policy must know of it belongs into headers.
 *
 * @param key what it is about; null: it has no key
 * @param attempts how often it has been tried
 * @param readyAt since when it could run
 */
public record WaitingJob(
        long id,
        String type,
        @Nullable String key,
        int priority,
        int attempts,
        Instant readyAt,
        Instant enqueuedAt,
        Map<String, String> headers) {

    public WaitingJob {
        headers = Map.copyOf(headers);
    }
}
