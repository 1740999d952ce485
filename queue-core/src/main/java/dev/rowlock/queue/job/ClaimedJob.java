package dev.rowlock.queue.job;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job as its claim returned it.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface ClaimedJob {

    Claim claim();

    String queue();

    String type();

    /** This attempt, 1 for the first. */
    int attempt();

    /** How often its node died while it ran. */
    int crashes();

    /** From runnable to claimed, on the database's clock. */
    Duration waited();

    /** From enqueued to claimed, on the database's clock; negative by a moment if it was enqueued while the claim was under way, or by a step of that clock. */
    Duration age();

    /** On the database's clock. */
    Instant claimedAt();

    /** JSON; null if it is large: it may stay in the database until the job starts, and is not kept longer than the job runs. */
    @Nullable
    String payload();

    /** A JSON object of strings; null for none. */
    @Nullable
    String headers();

    /** Null for the listener's setting. */
    @Nullable
    Integer maxRetries();

    /** Null for the listener's setting. */
    @Nullable
    Duration timeout();

    /** When its handler is interrupted at the latest, on the database's clock; null for none. */
    @Nullable
    Instant deadline();

    /** Which jobs of its queue it belongs with; null for none. */
    @Nullable
    String key();

    /** Whether limits count it as long as it runs. */
    boolean counted();

    default long id() {
        return claim().jobId();
    }

    /** When it was enqueued, on the database's clock. */
    default Instant enqueuedAt() {
        return claimedAt().minus(age());
    }

    /** The same without its payload, for those who only need to know which job it was. */
    ClaimedJob withoutPayload();
}
