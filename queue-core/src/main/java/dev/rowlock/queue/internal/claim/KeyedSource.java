package dev.rowlock.queue.internal.claim;

import java.time.Duration;

/**
 * Where jobs with keys come from.
 *
 * @param changed called when it has cancelled jobs of workflows
 * @param kept a queue that has had such jobs is looked at for them with each claim for so long
 */
public record KeyedSource(ClaimKeyedJobs claim, Runnable changed, Duration kept) {

    private static final Duration KEPT = Duration.ofMinutes(1);

    public KeyedSource(ClaimKeyedJobs claim, Runnable changed) {
        this(claim, changed, KEPT);
    }
}
