package dev.rowlock.queue.job;

import java.util.Optional;

/**
 * Decides whether and when a job runs again after a failed attempt. {@link RetryPolicy} is the one that comes with Rowlock; implement
 * this for rules of your own. Thread-safe.
 *
 * <p>It is not asked about a {@link DoNotRetryException} or an exception of the listener's {@code noRetryFor}, which are
 * final, about a {@link SnoozeException}, or once the job's own {@link JobOptions#maxRetries} are used up. A strategy that
 * throws counts as one that says what its {@link #fallback} says.
 */
@FunctionalInterface
public interface RetryStrategy {

    /** When to run the job again; empty to give it up. Called on the thread that ran the handler, soon after it failed. */
    Optional<Due> next(Failure failure);

    /**
     * What holds where this strategy cannot be asked: another node may have to take a job from a node that no longer stops
     * it at its deadline, and goes by this policy, which each node writes down when it starts.
     */
    default RetryPolicy fallback() {
        return RetryPolicy.DEFAULT;
    }
}
