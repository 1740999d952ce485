package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A job as its claim has read it. */
public record ClaimedRow(
        Claim claim,
        String queue,
        String type,
        int attempt,
        int crashes,
        Duration waited,
        Duration age,
        Instant claimedAt,
        @Nullable String payload,
        @Nullable String headers,
        @Nullable Integer maxRetries,
        @Nullable Duration timeout,
        @Nullable Instant deadline,
        @Nullable String key,
        boolean counted)
        implements ClaimedJob {

    @Override
    public ClaimedJob withoutPayload() {
        return withPayload(null);
    }

    public ClaimedJob withPayload(@Nullable String other) {
        return new ClaimedRow(
                claim,
                queue,
                type,
                attempt,
                crashes,
                waited,
                age,
                claimedAt,
                other,
                headers,
                maxRetries,
                timeout,
                deadline,
                key,
                counted);
    }

    /** For logs: neither payload nor headers. */
    @Override
    public String toString() {
        return "job %d (%s) of queue '%s', attempt %d, token %d"
                .formatted(claim.jobId(), type, queue, attempt, claim.token());
    }
}
