package dev.rowlock.queue;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import java.util.Collection;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Enqueues jobs. Thread-safe.
 *
 * <p><b>Transactions.</b> Every method joins the Spring transaction that is active on the calling thread: the jobs
 * exist if and only if it commits. Without one, each call is a transaction of its own, also when it enqueues many; so it is
 * in callbacks after a transaction's end, such as those of {@code @TransactionalEventListener}.
 *
 * <p><b>Errors.</b> {@link IllegalArgumentException}: an option or name that is not allowed, or no payload.
 * {@link dev.rowlock.queue.spi.PayloadException}: a payload that does not serialize, or could not be read again.
 * {@link PayloadTooLargeException}: one over {@code rowlock.payload.max-size}. {@link IllegalStateException}: the
 * active transaction is read-only, or is not one on Rowlock's DataSource. A {@code DataAccessException}: the database
 * refused or could not be reached. After any of them nothing has been enqueued by the call; inside a caller's
 * transaction, that transaction should roll back. If the connection broke during the commit itself, nobody can know
 * whether the job exists: the same call again makes a second one, unless it has a unique key.
 *
 * <p><b>Unique keys.</b> A job with a {@link UniqueKey} is enqueued unless another one of its type holds the key; then
 * the answer is that job. To try again safely, give a key from the first call on, with an {@code atLeast} that outlasts
 * the tries: {@code o.unique(UniqueKey.of("order-42").atLeast(Duration.ofHours(1)))}.
 *
 * <ul>
 *   <li>While another transaction is taking the key, the call waits until that one ends: without a transaction for 30
 *       seconds at most, in one as long as its {@code lock_timeout} says. Transactions that take the same keys in
 *       different order can deadlock; one of them then fails. A call of up to 10,000 jobs (four million characters) takes its
 *       keys in their order, and outside a transaction it is repeated after a deadlock; larger ones should come sorted by key.
 *   <li>In a transaction of isolation {@code REPEATABLE READ} or {@code SERIALIZABLE}, a key that was taken since it
 *       began makes the call fail to serialize, as it does for rows of your own.
 *   <li>The job that holds the key may be running already, and may not see what the calling transaction has written.
 *   <li>A dead job holds no key. A redrive runs it whether or not another one has its key by then.
 * </ul>
 */
public interface JobOperations {

    /** Enqueues a request with its own options and returns the job's id. */
    default long enqueue(JobRequest request) {
        return enqueue(request, JobOptions.NONE);
    }

    /** Enqueues one job with default options and returns its id. A {@link JobRequest} is enqueued as it says. */
    default long enqueue(Object payload) {
        return enqueue(payload, JobOptions.NONE);
    }

    /** Enqueues one job and returns its id: {@code enqueue(mail, o -> o.queue("mail").priority(5))}. */
    default long enqueue(Object payload, UnaryOperator<JobOptions> options) {
        return enqueue(payload, options.apply(JobOptions.NONE));
    }

    /** Enqueues one job and returns its id. */
    long enqueue(Object payload, JobOptions options);

    /** As {@link #enqueueUnique(Object, UniqueKey, JobOptions)}, with default options. */
    default EnqueueResult enqueueUnique(Object payload, UniqueKey key) {
        return enqueueUnique(payload, key, JobOptions.NONE);
    }

    /** As {@link #enqueueUnique(Object, UniqueKey, JobOptions)}: {@code enqueueUnique(mail, key, o -> o.priority(5))}. */
    default EnqueueResult enqueueUnique(Object payload, UniqueKey key, UnaryOperator<JobOptions> options) {
        return enqueueUnique(payload, key, options.apply(JobOptions.NONE));
    }

    /**
     * Enqueues one job, or does what the key says if another one of its type holds it; tells what became of the request. As {@link
     * #enqueue(Object, JobOptions)} with that key, which only returns the id.
     *
     * @throws dev.rowlock.queue.job.KeyHolderStartedException if a job is to be replaced that has started
     * @throws IllegalArgumentException also for options with another unique key
     */
    EnqueueResult enqueueUnique(Object payload, UniqueKey key, JobOptions options);

    /**
     * Enqueues the requests, all or none, and tells in the same order what became of each. The answers are the same as if
     * the requests came one after the other. They are all in memory and are sent together: for tens of thousands, or
     * megabytes of payloads, use {@link #enqueueAll(Stream, LongConsumer)}.
     *
     * @throws dev.rowlock.queue.job.KeyHolderStartedException if a job is to be replaced that has started
     */
    List<EnqueueResult> enqueueEach(Collection<JobRequest> requests);

    /**
     * Enqueues one job for each payload, all or none, and returns their ids in the same order. Each {@link JobRequest} among
     * them is enqueued as it says.
     */
    default long[] enqueueAll(Collection<?> payloads) {
        return enqueueAll(payloads, JobOptions.NONE);
    }

    /**
     * Enqueues one job for each payload with the same options, all or none; returns their ids in the same order.
     *
     * @throws IllegalArgumentException also for options with a unique key, which only one of the jobs could hold
     */
    long[] enqueueAll(Collection<?> payloads, JobOptions options);

    /**
     * Enqueues as many jobs as the stream yields, all or none, without holding them in memory: they are written in
     * chunks as the stream is read. Closes the stream. Of several requests with the same type and unique key, the first
     * one counts.
     *
     * @param ids receives each job's id, in order, once its chunk is written (not yet committed); for a request whose
     *     key is held, the id of the job that holds it
     * @return how many were enqueued, without those whose keys were held
     */
    long enqueueAll(Stream<JobRequest> jobs, LongConsumer ids);

    /** As {@link #enqueueAll(Stream, LongConsumer)}, for callers that need no ids. */
    default long enqueueAll(Stream<JobRequest> jobs) {
        return enqueueAll(jobs, id -> {});
    }
}
