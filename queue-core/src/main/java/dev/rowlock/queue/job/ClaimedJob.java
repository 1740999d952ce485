package dev.rowlock.queue.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job as its claim returned it.
 *
 * @param attempt this attempt, 1 for the first
 * @param crashes how often its node died while it ran
 * @param waited from runnable to claimed, on the database's clock
 * @param age from enqueued to claimed, on the database's clock; negative by a moment if it was enqueued while the claim was under
 *     way, or by a step of that clock
 * @param claimedAt on the database's clock
 * @param payload JSON; null if it is large: it may stay in the database until the job starts, and is not kept longer than
 *     the job runs
 * @param headers a JSON object of strings; null for none
 * @param maxRetries null for the listener's setting
 * @param timeout null for the listener's setting
 * @param deadline when its handler is interrupted at the latest, on the database's clock; null for none
 * @param key which jobs of its queue it belongs with; null for none
 * @param counted whether limits count it as long as it runs
 */
public record ClaimedJob(
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
        boolean counted) {

    /** A job without a key, that no limit counts. */
    public ClaimedJob(
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
            @Nullable Instant deadline) {
        this(
                claim,
                queue,
                type,
                attempt,
                crashes,
                waited,
                age,
                claimedAt,
                payload,
                headers,
                maxRetries,
                timeout,
                deadline,
                null,
                false);
    }

    public long id() {
        return claim.jobId();
    }

    /** When it was enqueued, on the database's clock. */
    public Instant enqueuedAt() {
        return claimedAt.minus(age);
    }

    /** The same without its payload, for those who only need to know which job it was. */
    public ClaimedJob withoutPayload() {
        return new ClaimedJob(
                claim,
                queue,
                type,
                attempt,
                crashes,
                waited,
                age,
                claimedAt,
                null,
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
