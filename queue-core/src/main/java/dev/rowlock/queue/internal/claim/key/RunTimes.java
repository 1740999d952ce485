package dev.rowlock.queue.internal.claim.key;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobObserver;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Hears how long jobs with keys run, for the queues whose keys share run time. */
public final class RunTimes implements JobObserver {

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

    @Override
    public boolean immediate() {
        return true;
    }

    @Override
    public void started(ClaimedJob job, Duration waited) {
        String key = job.key();
        if (key != null) {
            of(job.queue()).started(job.claim(), key);
        }
    }

    @Override
    public void finished(ClaimedJob job, Outcome outcome, Duration took) {
        ended(job, took);
    }

    @Override
    public void lost(ClaimedJob job) {
        ended(job, Duration.ZERO);
    }

    private void ended(ClaimedJob job, Duration took) {
        if (job.key() != null) {
            of(job.queue()).ended(job.claim(), took);
        }
    }
}
