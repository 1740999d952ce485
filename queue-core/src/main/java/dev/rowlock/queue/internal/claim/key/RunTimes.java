package dev.rowlock.queue.internal.claim.key;

import dev.rowlock.queue.job.ClaimedJob;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Hears how long jobs with keys run, for the queues whose keys share run time. From the handlers' threads and not from who records outcomes: a handler has
 * taken its time also where its claim was lost, and takes none while its outcome waits for the database. Thread-safe.
 */
public final class RunTimes {

    private final Map<String, RunTimeShares> queues;

    /**
     * @param concurrency by queue
     * @param nanos monotonic
     */
    public RunTimes(Map<String, Integer> concurrency, LongSupplier nanos) {
        this.queues = concurrency.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, queue -> new RunTimeShares(queue.getValue(), nanos)));
    }

    public RunTimeShares of(String queue) {
        RunTimeShares shares = queues.get(queue);
        if (shares == null) {
            throw new IllegalArgumentException("queue '%s' is not run here".formatted(queue));
        }
        return shares;
    }

    /** A handler is about to begin. */
    public void started(ClaimedJob job) {
        String key = job.key();
        if (key != null) {
            of(job.queue()).started(job.claim(), key);
        }
    }

    /** It has ended, whatever becomes of its outcome. Of a job that has not begun, it says nothing. */
    public void ended(ClaimedJob job) {
        if (job.key() != null) {
            of(job.queue()).ended(job.claim());
        }
    }
}
