package dev.rowlock.queue.job;

import dev.rowlock.queue.internal.claim.ClaimedRow;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Claimed jobs that no database knows: of the queue {@code mail}, the type {@code send}, in their first attempt, with an empty payload. */
public final class ClaimedJobs {

    private ClaimedJobs() {}

    /** @param id of the job, and its claim's token */
    public static ClaimedJob of(long id) {
        return of(id, "send");
    }

    public static ClaimedJob of(long id, String type) {
        return of(id, type, 1, null);
    }

    public static ClaimedJob withKey(long id, String key) {
        return new ClaimedRow(
                new Claim(id, id),
                "mail",
                "send",
                1,
                0,
                Duration.ZERO,
                Duration.ZERO,
                Instant.EPOCH,
                "{}",
                null,
                null,
                null,
                null,
                key,
                false);
    }

    public static ClaimedJob of(long id, String type, int attempt, @Nullable Integer maxRetries) {
        return new ClaimedRow(
                new Claim(id, id),
                "mail",
                type,
                attempt,
                0,
                Duration.ZERO,
                Duration.ZERO,
                Instant.EPOCH,
                "{}",
                null,
                maxRetries,
                null,
                null,
                null,
                false);
    }
}
