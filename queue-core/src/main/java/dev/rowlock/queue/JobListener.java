package dev.rowlock.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean's method as the one that runs jobs of a type: {@code @JobListener void send(SendMail mail)}.
 *
 * <p>The method takes the payload and, if it likes, a {@link dev.rowlock.queue.job.JobContext}, in any order. What it
 * returns is kept as the job's result, as JSON. An exception fails the attempt: the job runs again with backoff until
 * its retries are used up, then moves to {@code dead} with its error history. See also
 * {@link dev.rowlock.queue.job.DoNotRetryException}, {@link dev.rowlock.queue.job.RetryLaterException} and
 * {@link dev.rowlock.queue.job.SnoozeException}.
 *
 * <p>A job may run more than once (a node can die after the work and before its record), so a listener must bear
 * being repeated, or be {@link #transactional()}.
 *
 * <p>Text attributes may hold {@code ${…}} placeholders and {@code #{…}} expressions; empty means the default.
 * Durations read as in {@code application.yml}: {@code 30s}, {@code 5m}, {@code PT1H}.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobListener {

    /** The queue to listen to. Default: the queue of the payload's {@link JobType}, otherwise {@code default}. */
    String queue() default "";

    /**
     * How many jobs of the queue this node runs at once. Listeners of one queue share its threads, so those that say
     * it must agree; {@code rowlock.queues.<name>.concurrency} decides over all of them.
     */
    String concurrency() default "";

    /** How long an attempt may take before its thread is interrupted and the attempt fails. Default: no limit. */
    String timeout() default "";

    /** Attempts after the first. Default: {@code rowlock.retry.max-retries}. */
    String maxRetries() default "";

    /** The wait before the first retry. Default: {@code rowlock.retry.initial-interval}. */
    String initialInterval() default "";

    /** Each further wait is this many times the one before. Default: {@code rowlock.retry.multiplier}. */
    String multiplier() default "";

    /** The longest wait between attempts. Default: {@code rowlock.retry.max-interval}. */
    String maxInterval() default "";

    /** Exceptions, subclasses included, after which trying again is pointless. */
    Class<? extends Throwable>[] noRetryFor() default {};

    /**
     * Whether the listener runs in a transaction that also completes the job: what it writes to the same database and
     * "done" commit together, exactly once. If the claim was lost meanwhile, everything rolls back.
     */
    boolean transactional() default false;
}
