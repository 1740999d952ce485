package dev.rowlock.queue;

import dev.rowlock.queue.job.JobOptions;
import java.util.function.UnaryOperator;

/** A job to be enqueued: its payload, and how it is to be queued and run. */
public record JobRequest(Object payload, JobOptions options) {

    /** A job of its type's queue, runnable at once. */
    public static JobRequest of(Object payload) {
        return new JobRequest(payload, JobOptions.NONE);
    }

    /** A job with options: {@code JobRequest.of(mail, o -> o.priority(5))}. */
    public static JobRequest of(Object payload, UnaryOperator<JobOptions> options) {
        return new JobRequest(payload, options.apply(JobOptions.NONE));
    }

    /** For logs: the payload's class, never its content. */
    @Override
    public String toString() {
        return "JobRequest[" + payload.getClass().getSimpleName() + ", " + options + "]";
    }
}
