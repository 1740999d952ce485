package dev.rowlock.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.transaction.annotation.Isolation;

/**
 * Marks a bean's method as the one that runs jobs of a type: {@code @JobListener void send(SendMail mail)}.
 *
 * <p>The method takes the payload and, if it likes, a {@link dev.rowlock.queue.job.JobContext}, in any order. What it
 * returns is ignored, unless {@link #keepResult()} says otherwise. An exception fails the attempt: the job runs again with backoff until
 * its retries are used up, then moves to {@code dead} with its error history. See also
 * {@link dev.rowlock.queue.job.DoNotRetryException}, {@link dev.rowlock.queue.job.RetryLaterException} and
 * {@link dev.rowlock.queue.job.SnoozeException}.
 *
 * <p>The job is done when the method returns. So a method that returns a future, a Publisher, or Kotlin's Deferred or Flow stops the start: wait for
 * the result in the method, for which it has a thread. Kotlin's {@code suspend} functions are listeners like others: Rowlock waits for their end on
 * the listener's thread, if {@code kotlinx-coroutines-core} is on the class path.
 *
 * <p>A job may run more than once: a node can die after the work and before its record. So a listener must tolerate
 * repetition, or be {@link #transactional()}.
 *
 * <p>By default a listener runs up to ten jobs at once on each node ({@code rowlock.worker.concurrency}), on the threads
 * of its queue, which it shares with the other listeners of that queue.
 *
 * <p>An annotation of your own may carry this one and hand its attributes on with
 * {@link org.springframework.core.annotation.AliasFor}:
 *
 * <pre>{@code
 * @JobListener(queue = "mail", transactional = true)
 * @Target(ElementType.METHOD)
 * @Retention(RetentionPolicy.RUNTIME)
 * @interface MailListener {
 *
 *     @AliasFor(annotation = JobListener.class)
 *     String timeout() default "30s";
 * }
 * }</pre>
 *
 * <p>There is no priority here: whoever enqueues a job decides how urgent it is
 * ({@link dev.rowlock.queue.job.JobOptions#priority}).
 *
 * <p>Text attributes may hold {@code ${…}} placeholders and {@code #{…}} expressions; empty means the default.
 * Durations read as in {@code application.yml}: {@code 30s}, {@code 5m}, {@code PT1H}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface JobListener {

    /**
     * By what the listener is started and stopped at run time: {@link Rowlock#listener}. Unique in the application.
     * Default: the type of the jobs.
     */
    String id() default "";

    /**
     * {@code false}: the listener runs no jobs until it is started by its {@link #id}; they stay ready, for other nodes or
     * until then. Default: {@code rowlock.worker.auto-startup}, true.
     */
    String autoStartup() default "";

    /** The queue to listen to. Default: the queue of the payload's {@link JobType}, otherwise {@code rowlock.default-queue}. */
    String queue() default "";

    /**
     * How many jobs of the queue this node runs at once; 1 to 10000. Default: {@code rowlock.worker.concurrency}, 10. All
     * listeners of a queue share its threads, so they must agree: startup fails where one says 4 and another says nothing,
     * unless {@code rowlock.queues.<name>.concurrency} decides for all of them.
     */
    String concurrency() default "";

    /**
     * How long an attempt may take before its thread is interrupted and the attempt fails. Default: {@code
     * rowlock.queues.<name>.timeout}, otherwise no limit.
     */
    String timeout() default "";

    /**
     * The listener runs many jobs in one call, up to this number, 2 to 10,000: {@code void index(List<IndexDocument> jobs)}. To
     * learn their ids and contexts, it takes a {@code List} of {@link dev.rowlock.queue.chunk.ChunkJob}. Default: one job at a
     * time.
     *
     * <p>Returning completes all of them, unless it returns a {@link dev.rowlock.queue.chunk.ChunkResult}. A {@link
     * dev.rowlock.queue.chunk.ChunkFailedException} names those that failed. Any other exception splits the chunk: the listener is
     * called again with each half of its jobs, until the culprit stands alone. So it may see a job several times in one
     * attempt, unless it is {@link #transactional()}: then each call that fails leaves nothing behind.
     *
     * <p>{@link #timeout} limits each call.
     */
    String batch() default "";

    /**
     * How long the first job of a call waits for others at most, up to 10 s: {@code 50ms}. Only with {@link #batch}. Default: 10 ms.
     */
    String linger() default "";

    /** Attempts after the first. Default: {@code rowlock.retry.max-retries}. */
    String maxRetries() default "";

    /** The wait before the first retry. Default: {@code rowlock.retry.initial-interval}. */
    String initialInterval() default "";

    /** Each further wait is this many times the one before. Default: {@code rowlock.retry.multiplier}. */
    String multiplier() default "";

    /** The longest wait between attempts. Default: {@code rowlock.retry.max-interval}. */
    String maxInterval() default "";

    /** The share of each wait by which it is moved at random, 0 to 1. Default: {@code rowlock.retry.jitter}. */
    String jitter() default "";

    /**
     * The waits before each retry, such as {@code "10s, 1m, 10m"}: three retries, unless {@link #maxRetries()} or {@link
     * #giveUpAfter()} says otherwise; then the last one is repeated. In place of the four attributes about waits above.
     */
    String retryIntervals() default "";

    /**
     * The job is given up where its next attempt would begin later than this after it was enqueued, delays included. Unless {@link
     * #maxRetries()} is named as well, only the time counts. Default: {@code rowlock.retry.give-up-after}.
     */
    String giveUpAfter() default "";

    /**
     * The name of a bean that decides when jobs run again, in place of all attributes about retries above: a {@link
     * dev.rowlock.queue.job.RetryPolicy}, for rules by exception, or a {@link dev.rowlock.queue.job.RetryStrategy} of
     * your own.
     */
    String retryStrategy() default "";

    /** Exceptions, subclasses included, after which trying again is pointless, also where one is the cause of what was thrown. */
    Class<? extends Throwable>[] noRetryFor() default {};

    /**
     * Whether the listener runs in a transaction that also completes the job: what it writes to the same database and
     * "done" commit together, exactly once. If the claim was lost meanwhile, everything rolls back.
     *
     * <p>This differs from {@link org.springframework.transaction.annotation.Transactional}, which commits before the job
     * is recorded as done, so that a crash in between runs the job again; and which commits when a checked exception is
     * thrown. Here every exception rolls back, checked ones and
     * {@link dev.rowlock.queue.job.SnoozeException} included: an attempt that did not complete leaves nothing behind. Do
     * not put both annotations on one method.
     */
    boolean transactional() default false;

    /**
     * The bean name of the transaction manager for a {@link #transactional()} listener. It must manage the DataSource that
     * Rowlock uses. Default: the one that Rowlock chooses, see {@code @RowlockTransactionManager}.
     */
    String transactionManager() default "";

    /** The isolation level of a {@link #transactional()} listener. Default: that of the database or the pool. */
    Isolation isolation() default Isolation.DEFAULT;

    /**
     * Whether what the method returns is kept as the job's result, as JSON, for as long as the job is kept. A result that
     * does not serialize, or is larger than {@code rowlock.payload.max-size}, fails the job for good: doing the work again
     * would not change it. Not with {@link #batch}: a {@link dev.rowlock.queue.chunk.ChunkResult} names results.
     */
    boolean keepResult() default false;

    /**
     * The name of a method of the same class that is called once for each job of this listener that has died: failed for good, or quarantined. It takes
     * what it needs of the payload, a {@link dev.rowlock.queue.job.DeadJob} and a {@link dev.rowlock.queue.job.JobContext}, in any order:
     *
     * <pre>{@code
     * @JobListener(onDead = "refund")
     * void book(BookTrip trip) { … }
     *
     * void refund(BookTrip trip, DeadJob job) { … }
     * }</pre>
     *
     * <p>The call is a job of its own, of the type {@code <type>.dead} in the same queue: it is retried as {@code rowlock.retry} says, may run more than
     * once, and has this listener's timeout and transaction. If it dies, nothing is called for that. Empty, the default: nothing is called.
     */
    String onDead() default "";
}
