package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.ClaimedJobs;
import org.jspecify.annotations.Nullable;

/** Executions of no queue, for what needs none. */
public final class TestExecution {

    private TestExecution() {}

    public static Execution of(long id) {
        return of(id, System.nanoTime());
    }

    public static Execution of(long id, long claimedNanos) {
        return of(id, 1, null, claimedNanos);
    }

    /** Of a job with a key. */
    public static Execution withKey(long id) {
        return new Execution(ClaimedJobs.withKey(id, "k"), execution -> false, System.nanoTime());
    }

    /** With this many retries of its own; null: those of its listener. */
    public static Execution inAttempt(int attempt, @Nullable Integer maxRetries) {
        return of(1, attempt, maxRetries, System.nanoTime());
    }

    private static Execution of(long id, int attempt, @Nullable Integer maxRetries, long claimedNanos) {
        return new Execution(ClaimedJobs.of(id, "Test", attempt, maxRetries), execution -> false, claimedNanos);
    }
}
