package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.concurrent.ThreadLocalRandom;

/** What becomes of a job whose handler threw, or was not let run. */
final class Failures {

    private Failures() {}

    /** The outcome of a handler that threw. Why it was stopped counts before what it threw. */
    static Outcome outcome(Execution execution, ListenerDefinition listener, Throwable thrown) {
        if (thrown instanceof SnoozeException snooze) {
            return new Outcome.Snoozed(snooze.due());
        }
        return switch (execution.stopped()) {
            case CANCELLED -> new Outcome.Cancelled();
            case SHUTDOWN, CLAIM_LOST -> new Outcome.Released();
            case TIMED_OUT -> failed(execution, listener, thrown, timeout(execution, thrown));
            case NONE -> failed(execution, listener, thrown, JobError.of(thrown));
        };
    }

    /** The outcome of a job that was stopped before its handler began. */
    static Outcome notStarted(Execution.Stop reason) {
        return reason == Execution.Stop.CANCELLED ? new Outcome.Cancelled() : new Outcome.Released();
    }

    private static Outcome failed(Execution execution, ListenerDefinition listener, Throwable thrown, JobError error) {
        if (thrown instanceof ClaimLostException) {
            return new Outcome.Released(); // refused in any case: the token is gone
        }
        Integer own = execution.job().maxRetries();
        int maxRetries = own != null ? own : listener.retry().maxRetries();
        if (isFinal(listener, thrown) || execution.job().attempt() > maxRetries) {
            return new Outcome.Failed(error);
        }
        Due due = thrown instanceof RetryLaterException later
                ? later.due()
                : Due.after(listener.retry().backoff(execution.job().attempt(), ThreadLocalRandom.current()));
        return new Outcome.Retry(due, error);
    }

    private static boolean isFinal(ListenerDefinition listener, Throwable thrown) {
        return thrown instanceof DoNotRetryException
                || listener.noRetryFor().stream().anyMatch(type -> type.isInstance(thrown));
    }

    private static JobError timeout(Execution execution, Throwable thrown) {
        JobError cause = JobError.of(thrown);
        return new JobError(
                "timeout",
                "interrupted at its deadline in attempt %d; it then threw %s: %s"
                        .formatted(execution.job().attempt(), cause.type(), cause.message()),
                cause.trace());
    }
}
