package dev.rowlock.queue.internal.attempt;

import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a job that its transaction could not complete because done has no partition for today. The handler did what
 * it had to, and Rowlock did not: its rows are rolled back, so it runs again, at no cost.
 */
public final class MissingPartition {

    private static final Logger log = LoggerFactory.getLogger(MissingPartition.class);

    /** How long a job waits where the partition cannot be made. */
    private static final Due WITHOUT = Due.after(Duration.ofSeconds(5));

    private final EnsureDonePartitions partitions;

    public MissingPartition(EnsureDonePartitions partitions) {
        this.partitions = partitions;
    }

    /** Makes the partition. */
    public Outcome outcome(ClaimedJob job, Execution.Stop stopped) {
        try {
            partitions.makeMissing();
            return Failures.notStarted(stopped);
        } catch (RuntimeException e) {
            log.warn("done has no partition for today, and none can be made: {} waits", job, e);
            return new Outcome.Snoozed(WITHOUT, "done has no partition for today");
        }
    }
}
