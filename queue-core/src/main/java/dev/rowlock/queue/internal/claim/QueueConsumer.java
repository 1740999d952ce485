package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.List;

/** Where the claimed jobs of one queue go: says how many it wants, and takes them. */
public interface QueueConsumer {

    String queue();

    /** How many of them can run at once. */
    int concurrency();

    /** How many jobs may be claimed now. Called by one thread at a time. */
    int demand();

    /** How many jobs may be claimed now that its threads begin within this time. Called by one thread at a time. */
    int demandWithin(Duration horizon);

    /** Whether one of its threads would begin a job at once that came now. Any thread. */
    boolean idle();

    /** What claimed jobs may hold in memory. */
    ClaimBudget budget();

    /** Raised when more jobs may be claimed, or something else that the fetcher should look at. */
    Signal wakeSignal();

    /** Arranges for {@link #wakeSignal()} to be raised once there is demand again. Called by one thread at a time. */
    void signalDemand();

    /** As {@link #signalDemand}, for {@link #demandWithin}. */
    void signalDemandWithin(Duration horizon);

    /** Whether this queue has brought a job lately whose type no listener of this node knows. */
    boolean metUnknownType();

    /**
     * Takes jobs that were claimed.
     *
     * @param claimedNanos when the claim began, monotonic
     */
    void accept(List<ClaimedJob> jobs, long claimedNanos);

    /** Gives back jobs that were claimed though nothing should be any more. */
    void refuse(List<ClaimedJob> jobs, long claimedNanos);

    /** A claim has taken places of limits that are free again, though no job has begun. On the thread that claims. */
    void gateHasRoom();

    /** Gives back everything that was claimed and not started. */
    void releaseUnstarted();

    /**
     * Gives back jobs that would not begin soon. Called several times a second, by one thread at a time.
     *
     * @param toOthers whether another node could run them
     */
    void giveBackLate(boolean toOthers);

    /** The node lost its lease: everything held belongs to others now. Outcomes that still come are refused. */
    void abandon();
}
