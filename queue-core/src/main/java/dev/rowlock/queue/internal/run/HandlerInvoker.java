package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.record.FailureLog;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionOperations;

/** Runs the handler of a job and says how that ended. Changes nothing in the database, unless the handler does. */
public final class HandlerInvoker {

    private static final Logger log = LoggerFactory.getLogger(HandlerInvoker.class);

    private static final Outcome COMPLETED = new Outcome.Completed(null);

    private final Map<String, ListenerDefinition> listeners;
    private final ContextServices services;
    private final UnknownTypes unknownTypes = new UnknownTypes();
    private final BeginFailures beginFailures;
    private final FailureLog failureLog = new FailureLog();
    private final Failures failures;
    private final Interceptors interceptors;
    private final Interceptors aroundChunks;
    private final AttemptInterceptors attemptInterceptors;
    private final MissingPartition missingPartition;
    private final ListenerTransactions transactions;

    /**
     * @param listeners by type
     * @param transactions for transactional listeners; null if there are none
     */
    public HandlerInvoker(
            Map<String, ListenerDefinition> listeners,
            ContextServices services,
            Extensions extensions,
            @Nullable TransactionOperations transactions) {
        this.listeners = Map.copyOf(listeners);
        this.services = services;
        this.failures = new Failures(extensions.redactors(), extensions.slowDowns());
        this.beginFailures = new BeginFailures(failures::loggable);
        this.interceptors = new Interceptors(extensions.interceptors());
        this.aroundChunks = Interceptors.aroundChunkOfOne(extensions.interceptors());
        this.attemptInterceptors = new AttemptInterceptors(extensions.attempts());
        this.missingPartition = new MissingPartition(services.partitions());
        this.transactions = new ListenerTransactions(transactions);
    }

    /** Whether the claim still stands, by the database. Not if that cannot be known. */
    public boolean holds(Execution execution) {
        try {
            return services.claims().errors(execution.job().claim()).isPresent();
        } catch (DataAccessException e) {
            log.debug("checking the claim of {} failed; its handler does not start", execution.job(), e);
            return false;
        }
    }

    /** Whether this node has a listener for the job. */
    public boolean knows(ClaimedJob job) {
        return listeners.containsKey(job.type());
    }

    /** Runs the job on the calling thread. Never throws. The handler leaves no trace on it. */
    public Outcome run(Execution execution) {
        ListenerDefinition listener = listeners.get(execution.job().type());
        if (listener == null) {
            return unknownTypes.putAside(execution.job(), System.nanoTime());
        }
        if (!execution.begin()) {
            return Failures.notStarted(execution.stopped());
        }
        ExecutionContext context = new ExecutionContext(execution, listener, services);
        ThreadState own = ThreadState.save();
        try {
            LogContext.of(execution.job());
            return attemptInterceptors.none()
                    ? told(execution, listener, context)
                    : surrounded(execution, listener, context);
        } finally {
            context.close();
            own.restore(listener.name());
            execution.end();
        }
    }

    private Outcome surrounded(Execution execution, ListenerDefinition listener, ExecutionContext context) {
        AtomicReference<@Nullable Outcome> made = new AtomicReference<>();
        attemptInterceptors.around(List.of(execution.job()), () -> {
            Outcome outcome = told(execution, listener, context);
            made.set(outcome);
            return Map.of(execution.job().id(), outcome);
        });
        return Objects.requireNonNull(made.get());
    }

    private Outcome told(Execution execution, ListenerDefinition listener, ExecutionContext context) {
        Outcome outcome = outcome(execution, listener, context);
        failureLog.tell(execution.job(), outcome);
        return outcome;
    }

    private Outcome outcome(Execution execution, ListenerDefinition listener, ExecutionContext context) {
        try {
            return returned(execution, listener, context, call(execution, listener, context));
        } catch (Throwable thrown) { // user code: whatever it throws fails its job, never the worker
            if (!context.begun() && notReady(thrown)) {
                return notBegun(execution, thrown);
            }
            return thrown == context.unstorableResult()
                    ? unstorable(execution, listener, thrown)
                    : thrown(execution, listener, thrown);
        }
    }

    /** Whether it may begin the next time: it was stopped, or the database or the memory is to blame. */
    private static boolean notReady(Throwable thrown) {
        return thrown instanceof StoppedBefore || BeginFailures.notReady(thrown);
    }

    private Outcome notBegun(Execution execution, Throwable thrown) {
        return execution.stopped() == Execution.Stop.NONE
                ? beginFailures.failed(execution.job(), thrown, System.nanoTime())
                : Failures.notStarted(execution.stopped());
    }

    private String payload(Execution execution) {
        String payload = execution.job().payload();
        if (payload != null) {
            return payload;
        }
        return services.claims().payload(execution.job().claim()).orElseThrow(() -> {
            execution.stop(Execution.Stop.CLAIM_LOST);
            return new ClaimLostException(execution.job().claim());
        });
    }

    /** The time in which the job waited for a thread, its payload or its transaction does not count. */
    private @Nullable Object handle(
            Execution execution, ListenerDefinition listener, ExecutionContext context, String payload)
            throws Throwable {
        if (execution.stopped() != Execution.Stop.NONE) {
            throw new StoppedBefore();
        }
        context.begin();
        beginFailures.begun(execution.job());
        Duration timeout = execution.job().timeout() != null ? execution.job().timeout() : listener.timeout();
        if (timeout != null) {
            services.deadlines().watch(execution, timeout);
        }
        return listener.handler().handle(context, payload);
    }

    private @Nullable Object call(Execution execution, ListenerDefinition listener, ExecutionContext context)
            throws Throwable {
        String payload = payload(execution);
        return interceptors.none()
                ? attempt(execution, listener, context, payload)
                : intercepted(execution, listener, context, payload);
    }

    /**
     * A job whose handler has not begun is neither done nor to blame, whatever interceptors make of the exception that says so: it
     * was stopped, or its transaction could not begin.
     */
    private @Nullable Object intercepted(
            Execution execution, ListenerDefinition listener, ExecutionContext context, String payload)
            throws Throwable {
        Interceptors around = listener.chunking() == null ? interceptors : aroundChunks;
        AtomicReference<@Nullable Throwable> unbegun = new AtomicReference<>();
        Object result = null;
        Throwable thrown = null;
        try {
            result = around.around(context, () -> {
                try {
                    return attempt(execution, listener, context, payload);
                } catch (Throwable e) {
                    unbegun.set(!context.begun() && notReady(e) ? e : null);
                    throw e;
                }
            });
        } catch (Throwable e) {
            thrown = e;
        }
        Throwable cause = unbegun.get() != null ? unbegun.get() : thrown;
        if (cause != null) {
            throw cause;
        }
        return result;
    }

    /** What interceptors wrap. */
    private @Nullable Object attempt(
            Execution execution, ListenerDefinition listener, ExecutionContext context, String payload)
            throws Throwable {
        if (!listener.transactional()) {
            return handle(execution, listener, context, payload);
        }
        AtomicReference<@Nullable Object> result = new AtomicReference<>();
        transactions.run(listener, () -> {
            result.set(handle(execution, listener, context, payload));
            complete(execution, listener, context, result.get());
        });
        return result.get();
    }

    /** What the handler wrote must not be committed unless its job is done, by its own hand or by ours. */
    private static void complete(
            Execution execution, ListenerDefinition listener, ExecutionContext context, @Nullable Object returned) {
        Object result = kept(listener, context, returned);
        switch (execution.completion()) {
            case BY_RECORDER -> context.complete(result);
            case ROLLED_BACK, NO_PARTITION -> throw notCompleted();
            case IN_OPEN_TRANSACTION, COMMITTED -> {}
        }
    }

    private static UnexpectedRollbackException notCompleted() {
        return new UnexpectedRollbackException("the transaction that completed the job rolled back");
    }

    private Outcome returned(
            Execution execution, ListenerDefinition listener, ExecutionContext context, @Nullable Object returned) {
        if (execution.completion() == Execution.Completion.COMMITTED) {
            return new Outcome.AlreadyCompleted();
        }
        if (execution.completion() != Execution.Completion.BY_RECORDER) {
            // "Done" was undone together with the handler's own changes.
            return thrown(execution, listener, notCompleted());
        }
        try {
            Object result = kept(listener, context, returned);
            return result == null
                    ? COMPLETED
                    : new Outcome.Completed(services.results().encode(result));
        } catch (PayloadException e) {
            return unstorable(execution, listener, e);
        }
    }

    /** Most return values are by the way: of a chained call, say, or a whole entity. */
    private static @Nullable Object kept(
            ListenerDefinition listener, ExecutionContext context, @Nullable Object returned) {
        if (returned instanceof Outcome) {
            // Whoever returns one expects it to be obeyed; to complete the job would be the opposite of most.
            throw context.unstorable(new PayloadException(
                    "%s returned an Outcome, which decides nothing: throw an exception instead, such as SnoozeException or DoNotRetryException"
                            .formatted(listener.name()),
                    null));
        }
        return listener.keepResult() ? returned : null;
    }

    /**
     * Doing the work again would not make the result serialize, whether it is done or was rolled back. But a codec that was
     * interrupted has said nothing about the result.
     */
    private Outcome unstorable(Execution execution, ListenerDefinition listener, Throwable thrown) {
        return execution.stopped() == Execution.Stop.NONE
                ? failures.dead(execution, thrown)
                : thrown(execution, listener, thrown);
    }

    private Outcome thrown(Execution execution, ListenerDefinition listener, Throwable thrown) {
        return switch (execution.completion()) {
            case COMMITTED -> completedAllTheSame(execution, thrown);
            case NO_PARTITION -> missingPartition.outcome(execution.job(), execution.stopped());
            case BY_RECORDER, IN_OPEN_TRANSACTION, ROLLED_BACK -> failures.outcome(execution, listener, thrown);
        };
    }

    private Outcome completedAllTheSame(Execution execution, Throwable thrown) {
        JobError error = failures.loggable(execution.job(), thrown);
        EndlessTask.tell(() -> log.warn(
                "{} threw {} after its transaction had committed; it stays completed: {}\n{}",
                execution.job(),
                error.type(),
                error.message(),
                error.trace()));
        return new Outcome.AlreadyCompleted();
    }

    /** The job was cancelled, or its claim lost, before its handler began: nothing of its transaction stays. */
    private static final class StoppedBefore extends RuntimeException {

        private static final long serialVersionUID = 1L;

        StoppedBefore() {
            super("the job was stopped before its handler began", null, false, false);
        }
    }
}
