package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** What becomes of a job whose handler threw, or was not let run. */
final class Failures {

    private static final Set<Class<?>> WRAPPERS = Set.of(
            CompletionException.class,
            ExecutionException.class,
            InvocationTargetException.class,
            UndeclaredThrowableException.class);

    /** Causes can go round in circles. */
    private static final int MOST_WRAPPERS = 20;

    private Failures() {}

    /** The outcome of a handler that threw. Why it was stopped counts before what it threw. */
    static Outcome outcome(Execution execution, ListenerDefinition listener, Throwable thrown) {
        if (meant(thrown, SnoozeException.class) instanceof SnoozeException snooze) {
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
        if (meant(thrown, ClaimLostException.class) != null) {
            return new Outcome.Released(); // refused in any case: the token is gone
        }
        Integer own = execution.job().maxRetries();
        int maxRetries = own != null ? own : listener.retry().maxRetries();
        if (isFinal(listener, thrown) || execution.job().attempt() > maxRetries) {
            return new Outcome.Failed(error);
        }
        Due due = meant(thrown, RetryLaterException.class) instanceof RetryLaterException later
                ? later.due()
                : Due.after(listener.retry().backoff(execution.job().attempt(), ThreadLocalRandom.current()));
        return new Outcome.Retry(due, error);
    }

    private static boolean isFinal(ListenerDefinition listener, Throwable thrown) {
        return meant(thrown, DoNotRetryException.class) != null
                || listener.noRetryFor().stream().anyMatch(type -> meant(thrown, type) != null);
    }

    /**
     * The exception of this type that a handler threw, itself or in a wrapper that says nothing but that something else
     * failed elsewhere: in a future, a proxy, a reflective call. Null if there is none.
     */
    private static @Nullable Throwable meant(Throwable thrown, Class<? extends Throwable> type) {
        Throwable next = thrown;
        for (int depth = 0; depth < MOST_WRAPPERS && next != null; depth++) {
            if (type.isInstance(next)) {
                return next;
            }
            next = isWrapper(next) ? next.getCause() : null;
        }
        return null;
    }

    /** Those classes themselves: what a subclass makes of its cause is the application's. */
    private static boolean isWrapper(Throwable thrown) {
        return WRAPPERS.contains(thrown.getClass());
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
