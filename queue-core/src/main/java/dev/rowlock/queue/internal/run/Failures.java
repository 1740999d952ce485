package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.run.Extensions.SlowDownHandler;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Failure;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import dev.rowlock.queue.job.SlowDownException;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides the outcome of a job whose handler threw or was not allowed to run: retries, back-off, failure. */
final class Failures {

    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    private final List<ErrorRedactor> redactors;
    private final SlowDownHandler slowDowns;
    private final UnaryOperator<ClaimedJob> clear;

    /** @param clear gives redactors the job with the payload that its listener reads */
    public Failures(List<ErrorRedactor> redactors, SlowDownHandler slowDowns, UnaryOperator<ClaimedJob> clear) {
        this.redactors = redactors;
        this.clear = clear;
        this.slowDowns = slowDowns;
    }

    /** The outcome of a handler that threw. Why it was stopped counts before what it threw. */
    public Outcome outcome(Execution execution, ListenerDefinition listener, Throwable thrown) {
        Optional<SnoozeException> snooze = Failure.find(thrown, SnoozeException.class);
        if (snooze.isPresent()) {
            tellSlowDown(execution.job(), snooze.get());
            return snoozed(execution, listener, snooze.get());
        }
        return switch (execution.stopped()) {
            case CANCELLED -> new Outcome.Cancelled();
            case SHUTDOWN, CLAIM_LOST -> new Outcome.Released();
            case TIMED_OUT -> failed(execution, listener, thrown, timeout(execution, thrown));
            case NONE ->
                execution.saidToLeave()
                        ? new Outcome.Released()
                        : failed(execution, listener, thrown, JobError.of(thrown));
        };
    }

    /** The outcome of a handler after which nothing is to be tried again. */
    public Outcome dead(Execution execution, Throwable thrown) {
        return dead(execution, JobError.of(thrown), thrown);
    }

    private Outcome dead(Execution execution, JobError error, Throwable thrown) {
        return new Outcome.Failed(redacted(execution.job(), error), thrown);
    }

    /** What may be logged of an exception. */
    public JobError loggable(ClaimedJob job, Throwable thrown) {
        return redacted(job, JobError.of(thrown));
    }

    /** Code of the application: where it fails, nothing is kept but the class of the exception. */
    private JobError redacted(ClaimedJob job, JobError error) {
        JobError redacted = error;
        for (ErrorRedactor redactor : redactors) {
            try {
                redacted = Objects.requireNonNull(redactor.redact(clear.apply(job), redacted), "it returned null");
            } catch (Throwable e) {
                String name = redactor.getClass().getName();
                EndlessTask.tell(() -> log.warn(
                        "redactor {} failed: {}; the message and trace of the error are not kept",
                        name,
                        e.getClass().getName()));
                return JobError.of(error.type(), "(not kept, because the redactor %s failed)".formatted(name));
            }
        }
        return redacted;
    }

    /** The outcome of a job that was stopped before its handler began. */
    public static Outcome notStarted(Execution.Stop reason) {
        return reason == Execution.Stop.CANCELLED ? new Outcome.Cancelled() : new Outcome.Released();
    }

    private void tellSlowDown(ClaimedJob job, SnoozeException snooze) {
        if (snooze instanceof SlowDownException slowDown) {
            try {
                slowDowns.slowDown(job, slowDown.retryAfter());
            } catch (RuntimeException | Error e) {
                EndlessTask.tell(
                        () -> log.warn("could not apply the slow-down that {} requested; only that job waits", job, e));
            }
        }
    }

    /** Fails the job if it is too old: a handler that always snoozes would otherwise never end. */
    private Outcome snoozed(Execution execution, ListenerDefinition listener, SnoozeException snooze) {
        Failure failure = failure(execution, snooze);
        if (fallback(strategy(execution, listener)).inTime(failure, snooze.due())) {
            return new Outcome.Snoozed(snooze.due(), snooze.why());
        }
        return dead(execution, snooze);
    }

    private Outcome failed(Execution execution, ListenerDefinition listener, Throwable thrown, JobError error) {
        if (Failure.find(thrown, ClaimLostException.class).isPresent()) {
            return new Outcome.Released(); // refused in any case: the token is gone
        }
        Failure failure = failure(execution, thrown);
        if (isFinal(listener, failure)) {
            return dead(execution, error, thrown);
        }
        Optional<Due> next = next(execution, listener, failure);
        return next.isPresent()
                ? new Outcome.Retry(next.get(), redacted(execution.job(), error), thrown)
                : dead(execution, error, thrown);
    }

    private static boolean isFinal(ListenerDefinition listener, Failure failure) {
        return failure.find(DoNotRetryException.class).isPresent()
                || listener.noRetryFor().stream().anyMatch(failure::causedBy);
    }

    /** An exception that names a time overrides the back-off as long as retries and time are left. */
    private static Optional<Due> next(Execution execution, ListenerDefinition listener, Failure failure) {
        Integer own = execution.job().maxRetries();
        if (own != null && failure.attempt() > own) {
            return Optional.empty();
        }
        RetryStrategy strategy = strategy(execution, listener);
        Optional<Due> next = asked(strategy, listener, failure);
        Optional<Due> named = failure.find(RetryLaterException.class).map(RetryLaterException::due);
        return next.isEmpty() || named.isEmpty()
                ? next
                : named.filter(due -> fallback(strategy).inTime(failure, due));
    }

    static RetryStrategy strategy(Execution execution, ListenerDefinition listener) {
        RetryPolicy own = own(execution.job());
        return own != null ? own : listener.retry();
    }

    /** A later version may have stored it, in a form that this one does not know. */
    private static @Nullable RetryPolicy own(ClaimedJob job) {
        try {
            return Headers.retry(job.headers());
        } catch (RuntimeException e) {
            EndlessTask.tell(() ->
                    log.warn("reading the retry policy of {} failed; the policy of its listener decides", job, e));
            return null;
        }
    }

    /** It may be code of the application. */
    private static Optional<Due> asked(RetryStrategy strategy, ListenerDefinition listener, Failure failure) {
        try {
            return Objects.requireNonNull(strategy.next(failure), "the retry strategy returned null");
        } catch (Throwable e) {
            EndlessTask.tell(
                    () -> log.warn("the retry strategy of {} failed; its fallback decides", listener.name(), e));
            return fallback(strategy).next(failure);
        }
    }

    static RetryPolicy fallback(RetryStrategy strategy) {
        try {
            return Objects.requireNonNull(strategy.fallback(), "the fallback is null")
                    .fallback();
        } catch (Throwable e) {
            EndlessTask.tell(() -> log.warn("the fallback of a retry strategy failed; the default decides", e));
            return RetryPolicy.DEFAULT;
        }
    }

    private static Failure failure(Execution execution, Throwable thrown) {
        Duration sinceClaim = Duration.ofNanos(System.nanoTime() - execution.claimedNanos());
        Duration age = execution.job().age();
        return new Failure(execution.job(), (age.isNegative() ? Duration.ZERO : age).plus(sinceClaim), thrown);
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
