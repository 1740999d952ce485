package dev.rowlock.queue.schedule;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes the jobs of a {@link dev.rowlock.queue.JobListener} recur: {@code @Recurring(cron = "0 0 3 * * *") @JobListener void
 * check(CheckPrices prices)}. A {@link RecurringJob} bean does the same for any job.
 *
 * <p>While nodes of several versions run, the version that was started last decides. Once no node has declared a
 * recurring job for an hour it is retired; until then, too, only nodes that declare it enqueue its jobs.
 *
 * <p>Text attributes may hold {@code ${…}} placeholders and {@code #{…}} expressions. Durations read as in {@code
 * application.yml}: {@code 30s}, {@code 5m}, {@code PT1H}.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Recurring {

    /** As {@link #cron()} or {@link #every()}: the job does not recur. Lets a property switch it off. */
    String OFF = "-";

    /** Its name among all recurring jobs. Default: the type of the jobs. */
    String name() default "";

    /** A cron expression with six fields, see {@link Schedule#cron(String)}. This or {@link #every()}. */
    String cron() default "";

    /** The time zone of the cron expression, such as {@code Europe/Berlin}. Default: UTC, whatever zone a node is in. */
    String zone() default "";

    /** A fixed rate, see {@link Schedule#every}. This or {@link #cron()}. */
    String every() default "";

    /** The payload of its jobs, as JSON. Default: an object without properties. */
    String payload() default "{}";

    /** What becomes of missed runs. */
    MissedRuns.Policy missed() default MissedRuns.Policy.RUN_ONCE;

    /** With {@code RUN_ALL}: how many missed runs are made up for. */
    int missedRuns() default 100;

    /** With {@code RUN_ALL}: how old a missed run may be. */
    String missedWindow() default "1d";

    /** What becomes of a run while the job of the run before has not ended. */
    Overlap overlap() default Overlap.SKIP;

    /** The longest time by which a run is put off at random. Default: none. */
    String jitter() default "";
}
