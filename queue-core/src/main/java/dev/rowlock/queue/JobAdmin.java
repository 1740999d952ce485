package dev.rowlock.queue;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.TransactionStanding;
import dev.rowlock.queue.internal.store.admin.CancelIdleJob;
import dev.rowlock.queue.internal.store.admin.DeadQueues;
import dev.rowlock.queue.internal.store.admin.DiscardDeadJobs;
import dev.rowlock.queue.internal.store.admin.FindJob;
import dev.rowlock.queue.internal.store.admin.LastDeadJob;
import dev.rowlock.queue.internal.store.admin.PauseQueue;
import dev.rowlock.queue.internal.store.admin.RedriveDeadJobs;
import dev.rowlock.queue.internal.store.admin.RequestCancel;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * Operates the queue: cancel, redrive, discard, pause, resume. Every method joins the caller's transaction if there is
 * one; workers hear of it after the commit. Thread-safe.
 */
public final class JobAdmin {

    private static final int BATCH = 1_000;

    /** A job can change rooms between two looks; it does not do so this often within microseconds. */
    private static final int LOOKS = 10;

    private final Database database;
    private final AfterCommit afterCommit;
    private final CancelIdleJob cancelIdle;
    private final RequestCancel requestCancel;
    private final FindJob findJob;
    private final RedriveDeadJobs redriveDead;
    private final DiscardDeadJobs discardDead;
    private final LastDeadJob lastDead;
    private final DeadQueues deadQueues;
    private final PauseQueue queues;

    JobAdmin(Database database, Wakeups wakeups) {
        this.database = database;
        this.afterCommit = new AfterCommit(database, wakeups);
        this.cancelIdle = new CancelIdleJob(database);
        this.requestCancel = new RequestCancel(database);
        this.findJob = new FindJob(database);
        this.redriveDead = new RedriveDeadJobs(database);
        this.discardDead = new DiscardDeadJobs(database);
        this.lastDead = new LastDeadJob(database);
        this.deadQueues = new DeadQueues(database);
        this.queues = new PauseQueue(database);
    }

    /**
     * Cancels a job. Waiting and ready ones move to {@code done} as cancelled. A running one is only asked to
     * stop: its handler's thread is interrupted and {@link dev.rowlock.queue.job.JobContext#cancelled()} says so; it
     * may still finish, and its outcome then stands. If its node dies instead, the job ends as cancelled. A
     * dead one has ended: {@link #discard} it.
     *
     * @throws IllegalStateException if the job keeps moving between rooms faster than it can be caught
     */
    public CancelResult cancel(long id) {
        TransactionStanding standing = database.requireWritable("cancel");
        for (int look = 0; look < LOOKS; look++) {
            if (cancelIdle.run(id)) {
                afterCommit.quietly(standing);
                return CancelResult.CANCELLED;
            }
            if (requestCancel.run(id)) {
                afterCommit.attention(standing);
                return CancelResult.REQUESTED;
            }
            Optional<JobState> state = findJob.run(id, row -> JobState.of(row.getString("state")));
            if (state.isEmpty()) {
                return CancelResult.NOT_FOUND;
            }
            if (!state.get().live()) {
                return CancelResult.ALREADY_ENDED;
            }
        }
        throw new IllegalStateException(
                "job %d changed rooms %d times while it was to be cancelled: try again".formatted(id, LOOKS));
    }

    /** Runs a dead job again, with fresh attempts and crash count; its error history stays. False if it is not dead. */
    public boolean redrive(long id) {
        TransactionStanding standing = database.requireWritable("redrive");
        boolean redriven = redriveDead.one(id);
        if (redriven) {
            wakeDispatcher(standing);
        }
        return redriven;
    }

    /** As {@link #redriveAll(String)}, of all queues. */
    public long redriveAll() {
        return deadQueues.run().stream().mapToLong(this::redriveAll).sum();
    }

    /** Runs all jobs of the queue again that are dead now; returns how many. In batches unless in a transaction. */
    public long redriveAll(String queue) {
        Names.queue(queue);
        TransactionStanding standing = database.requireWritable("redriveAll");
        long last = lastDead.run(queue);
        long redriven = 0;
        RedriveDeadJobs.Batch batch = new RedriveDeadJobs.Batch(0, 0);
        do {
            batch = redriveDead.some(queue, batch.lastId(), last, BATCH);
            redriven += batch.jobs();
        } while (batch.jobs() == BATCH);
        if (redriven > 0) {
            wakeDispatcher(standing);
        }
        return redriven;
    }

    /** Deletes a dead job for good. False if it is not dead. */
    public boolean discard(long id) {
        TransactionStanding standing = database.requireWritable("discard");
        boolean discarded = discardDead.one(id);
        afterCommit.quietly(standing);
        return discarded;
    }

    /** As {@link #discardAll(String)}, of all queues. */
    public long discardAll() {
        return deadQueues.run().stream().mapToLong(this::discardAll).sum();
    }

    /** Deletes all jobs of the queue that are dead now; returns how many. In batches unless in a transaction. */
    public long discardAll(String queue) {
        Names.queue(queue);
        TransactionStanding standing = database.requireWritable("discardAll");
        long last = lastDead.run(queue);
        long discarded = 0;
        int batch;
        do {
            batch = discardDead.some(queue, last, BATCH);
            discarded += batch;
        } while (batch == BATCH);
        afterCommit.quietly(standing);
        return discarded;
    }

    /**
     * Pauses a queue on all nodes: they claim nothing more from it and give back what they have not started. Running
     * jobs go on. Takes effect within a heartbeat, at once where notifications arrive. Jobs may still be enqueued.
     */
    public void pause(String queue) {
        TransactionStanding standing = database.requireWritable("pause");
        queues.pause(Names.queue(queue));
        afterCommit.attention(standing);
    }

    /** Ends the pause of a queue. Does nothing if it is not paused. */
    public void resume(String queue) {
        TransactionStanding standing = database.requireWritable("resume");
        queues.resume(Names.queue(queue));
        afterCommit.attention(standing);
    }

    /** The queues that are paused. */
    public Set<String> pausedQueues() {
        return queues.paused();
    }

    private void wakeDispatcher(TransactionStanding standing) {
        Wakes wakes = new Wakes();
        wakes.waiting(Duration.ZERO);
        afterCommit.wake(wakes, standing);
    }
}
