package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import java.util.Optional;

/**
 * Runs the jobs of a {@code Rowlock} one by one, on the thread that asks for it: what the test kit is built on. It claims, runs and records as
 * nodes do, and starts no threads but one that watches timeouts. Listeners of chunks get one job at a time. Admission policies are not asked, and
 * bulk actions are not carried out. For one thread.
 *
 * <p>In a transaction of the DataSource, all that it does is part of that transaction and commits with it, or never: each attempt stands
 * behind a savepoint, to which it goes back unless it ends well. Without one, it commits as nodes do.
 */
public interface ManualNode extends AutoCloseable {

    /** One attempt of a job, and how it ended, as recorded. */
    record Attempt(ClaimedJob job, Outcome outcome) {}

    /**
     * Runs the next job that is due; recurring jobs, steps of workflows and others that became due are looked for when no other is ready.
     *
     * @return empty if none is due
     * @throws IllegalStateException if a listener has left the transaction unusable, or the outcome cannot be recorded
     */
    Optional<Attempt> runNext();

    /**
     * Lets all that waits come due so much sooner, as if nothing had run for that time: delays, retries, recurring jobs, rates, times of unique
     * keys.
     */
    void advance(Duration time);

    /** Leaves. Jobs stay as they are. */
    @Override
    void close();
}
