package dev.rowlock.queue.gate;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits the queue of a {@link dev.rowlock.queue.JobListener}, over all nodes: {@code @Limited(ratePerKey = "5/s") @JobListener(queue = "mail") void
 * send(SendMail mail)}. What it says holds for all jobs of that queue, whatever their types. Other listeners of the queue say the
 * same or nothing; otherwise the start fails.
 *
 * <p>Properties of the queue win over it, and what {@link QueueLimits} sets at run time wins over both.
 *
 * <p>Attributes may hold {@code ${…}} placeholders and {@code #{…}} expressions. An empty one says nothing.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Limited {

    /** How many jobs of the queue run at once. */
    String maxRunning() default "";

    /** How many jobs of each key run at once. */
    String maxRunningPerKey() default "";

    /** How many jobs of each key run at once while no other key that is below its own limit wants the places. More than {@link #maxRunningPerKey}. */
    String burstPerKey() default "";

    /** How many jobs of the queue begin in a time: {@code 10/s}, {@code 100/min burst 20}, see {@link Rate#valueOf}. */
    String rate() default "";

    /** How many jobs of each key begin in a time. */
    String ratePerKey() default "";

    /** Jobs of a key run one after the other; when one is dead, the others: {@code hold}, {@code continue}, {@code cancel-rest}. */
    String inOrder() default "";
}
