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

    /** Says whether jobs of both kinds wait to be claimed: then each kind gets half of the threads, otherwise one may have them all, and {@link #wakeSignal()} is raised if it had no demand. */
    void contended(boolean both);

    /** The kind that has had less than its half of the threads: it is claimed first. */
    Kind behind();

    /** The kind that has had less than its half of what the limit of the queue as a whole lets run at once. */
    Kind behindInPlaces();

    /** How many jobs of this kind may be claimed now that its threads begin within this time. Called by one thread at a time. */
    int demand(Kind kind, Duration horizon);

    /** Whether one of its threads would begin a job at once that came now. Any thread. */
    boolean idle();

    /** What claimed jobs may hold in memory. */
    ClaimBudget budget();

    /** Raised when more jobs may be claimed, or something else that the fetcher should look at. */
    Signal wakeSignal();

    /** Arranges for {@link #wakeSignal()} to be raised once there is such demand again. Called by one thread at a time. */
    void signalDemand(Kind kind, Duration horizon);

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
