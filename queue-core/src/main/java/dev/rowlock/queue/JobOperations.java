package dev.rowlock.queue;

import dev.rowlock.queue.job.JobOptions;
import java.util.Collection;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Enqueues jobs. Thread-safe.
 *
 * <p><b>Transactions.</b> Every method joins the Spring transaction that is active on the calling thread: the jobs
 * exist if and only if it commits. Without one, each call is a transaction of its own, also when it enqueues many.
 *
 * <p><b>Errors.</b> {@link IllegalArgumentException}: an option or name that is not allowed.
 * {@link dev.rowlock.queue.spi.PayloadException}: a payload that does not serialize.
 * {@link PayloadTooLargeException}: one over {@code rowlock.payload.max-size}. {@link IllegalStateException}: the
 * active transaction is read-only, or belongs to another DataSource. A {@code DataAccessException}: the database
 * refused or could not be reached. After any of them nothing has been enqueued by the call; inside a caller's
 * transaction, that transaction should roll back. If the connection broke during the commit itself, nobody can know
 * whether the job exists.
 */
public interface JobOperations {

    /** Enqueues one job with default options and returns its id. */
    default long enqueue(Object payload) {
        return enqueue(payload, JobOptions.NONE);
    }

    /** Enqueues one job and returns its id: {@code enqueue(mail, o -> o.queue("mail").priority(5))}. */
    default long enqueue(Object payload, UnaryOperator<JobOptions> options) {
        return enqueue(payload, options.apply(JobOptions.NONE));
    }

    /** Enqueues one job and returns its id. */
    long enqueue(Object payload, JobOptions options);

    /** Enqueues one job for each payload, all or none, and returns their ids in the same order. */
    default long[] enqueueAll(Collection<?> payloads) {
        return enqueueAll(payloads, JobOptions.NONE);
    }

    /** Enqueues one job for each payload with the same options, all or none; returns their ids in the same order. */
    long[] enqueueAll(Collection<?> payloads, JobOptions options);

    /**
     * Enqueues as many jobs as the stream yields, all or none, without holding them in memory: they are written in
     * chunks as the stream is read. Closes the stream.
     *
     * @param ids receives each job's id, in order, once its chunk is written (not yet committed)
     * @return how many were enqueued
     */
    long enqueueAll(Stream<JobRequest> jobs, LongConsumer ids);

    /** As {@link #enqueueAll(Stream, LongConsumer)}, for callers that need no ids. */
    default long enqueueAll(Stream<JobRequest> jobs) {
        return enqueueAll(jobs, id -> {});
    }
}
