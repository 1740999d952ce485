package dev.rowlock.queue;

import dev.rowlock.queue.job.JobOptions;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A job to be enqueued: its payload, and how it is to be queued and run. */
public record JobRequest(Object payload, JobOptions options) {

    public JobRequest {
        if (payload == null) {
            throw new IllegalArgumentException("there is no payload: null cannot be enqueued");
        }
        if (payload instanceof JobRequest) {
            throw new IllegalArgumentException(
                    "a JobRequest brings its own options along, so it cannot be given others: enqueue it as it is");
        }
        if (options == null) {
            throw new IllegalArgumentException("the options are null: JobOptions.NONE changes nothing");
        }
    }

    /** A payload with these options; a request as it is, which takes no further options. */
    @SuppressWarnings("NullAway") // null is refused by the constructor
    static JobRequest from(@Nullable Object payload, JobOptions options) {
        return payload instanceof JobRequest request && options == JobOptions.NONE
                ? request
                : new JobRequest(payload, options);
    }

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
