package dev.rowlock.queue.result;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A job to wait for, by its id. Any process that reaches the tables may wait, whichever process enqueued the job and whichever node runs it. Holds
 * nothing: make one whenever you need it. Thread-safe.
 *
 * <p>However many wait in a process, one thread asks for all of them, and they hold no connection. If the process ends, nothing is
 * left of its waits, and the jobs go on.
 *
 * <p><b>Do not wait inside the transaction that enqueued the job.</b> The job exists only after the commit, so it cannot end before.
 * {@code await} throws in that case; a future completes after the commit.
 */
public interface JobHandle {

    /** The job's id. */
    long id();

    /**
     * Blocks until the job has completed.
     *
     * @param timeout how long to wait at most; more than zero
     * @throws JobWaitTimeoutException if the job has not ended by then; it goes on
     * @throws JobDeadException if its last attempt failed, or it was quarantined
     * @throws JobCancelledException if it was cancelled
     * @throws NoSuchJobException if there is no such job: not committed, not kept, or discarded
     * @throws IllegalStateException inside the transaction that enqueued the job
     * @throws InterruptedException if the thread is interrupted; the job goes on
     */
    void await(Duration timeout) throws InterruptedException;

    /**
     * As {@link #await(Duration)}, and returns what the listener returned.
     *
     * @param result the class to read the JSON of the result as
     * @throws NoResultException if the job has completed and no result is kept
     */
    <T> T await(Duration timeout, Class<T> result) throws InterruptedException;

    /**
     * Completes when the job has completed, or exceptionally with what {@link #await(Duration)} throws. Its actions run in the common
     * pool. To cancel it ends the wait, not the job. Inside the transaction that enqueued the job, the wait begins after the commit:
     * to join the future before that lasts until the timeout.
     *
     * @param timeout how long to wait at most; more than zero
     */
    CompletableFuture<Void> future(Duration timeout);

    /** As {@link #future(Duration)}, with what the listener returned. */
    <T> CompletableFuture<T> future(Duration timeout, Class<T> result);

    /** How far the handler is that runs now; empty if none runs or it has not said. One statement. */
    Optional<JobProgress> progress();
}
