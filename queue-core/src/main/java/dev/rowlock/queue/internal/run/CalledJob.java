package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One job of a call, or of several with ever fewer jobs. Its thread only. */
final class CalledJob {

    final Execution execution;
    private @Nullable ExecutionContext context; // in the latest call

    @Nullable
    Object payload; // as the listener reads it, once for all calls

    @Nullable
    Outcome outcome; // null: none yet

    // What the listener said in the latest call; if it said nothing of it, the job is completed without a result.
    @Nullable
    String result; // as JSON

    @Nullable
    Throwable failed;

    boolean unstorable; // it failed only because its result cannot be kept

    CalledJob(Execution execution) {
        this.execution = execution;
    }

    ClaimedJob job() {
        return execution.job();
    }

    /** Only in a call. */
    ExecutionContext context() {
        return Objects.requireNonNull(context);
    }

    void called(ExecutionContext with) {
        context = with;
        said(null, null, false);
    }

    /** The call is over, if there was one. */
    void close() {
        if (context != null) {
            context.close();
        }
    }

    /** The listener said so of this job. */
    void said(@Nullable String completedWith, @Nullable Throwable failedWith, boolean notStorable) {
        result = completedWith;
        failed = failedWith;
        unstorable = notStorable;
    }
}
