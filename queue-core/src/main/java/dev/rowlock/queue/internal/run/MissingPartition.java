package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates a missing partition of done and decides the outcome of a job that its transaction could not complete without it. The
 * rows of the handler are rolled back, so the job runs again, at no cost in attempts.
 */
final class MissingPartition {

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
            log.warn("creating the partition of done for today failed; {} waits", job, e);
            return new Outcome.Snoozed(WITHOUT, "done has no partition for today");
        }
    }
}
