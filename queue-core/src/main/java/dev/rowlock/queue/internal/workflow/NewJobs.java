package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.JobOptions;
import java.util.function.UnaryOperator;

/** Converts payloads to rows of the tables, and rejects what cannot be enqueued. */
@FunctionalInterface
public interface NewJobs {

    /**
     * @param payload or a request, which brings its own options along
     * @param options of a payload
     * @param amend what is to be changed in the options
     * @throws IllegalArgumentException for a request where there are other options than {@link JobOptions#NONE}
     */
    NewJob of(Object payload, JobOptions options, UnaryOperator<JobOptions> amend);
}
