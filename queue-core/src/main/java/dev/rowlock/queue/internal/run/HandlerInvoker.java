package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.record.FailureLog;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.BeginFailures.RollBack;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Runs the handler of a job and says how that ended: beside it, what calls with many jobs ({@link ChunkCall}) share. Changes nothing in
 * the database, unless the handler does. One for the node.
 */
public final class HandlerInvoker {

    /**
     * What a handler and its context need to act on their job.
     *
     * @param longestWait no handler begins later than this after the claim; part of each claim's deadline
     */
    public record Services(
            Database database,
            ClaimStatements claims,
            OutcomeStatements outcomes,
            EnsureDonePartitions partitions,
            Deadlines deadlines,
            Duration longestWait,
            Results results,
            PayloadCodec codec) {}

    private static final Logger log = LoggerFactory.getLogger(HandlerInvoker.class);

    private static final Outcome COMPLETED = new Outcome.Completed(null);

    /** How long a job waits where the partition cannot be made that its transaction needs. */
    private static final Due WITHOUT_PARTITION = Due.after(Duration.ofSeconds(5));

    /** The usual numbers of attempts, since each job needs one. */
    private static final List<String> ATTEMPTS =
            IntStream.range(0, 32).mapToObj(Integer::toString).toList();

    final Services services;
    final Failures failures;
    final BeginFailures beginFailures;
    final FailureLog failureLog = new FailureLog();
    final Interceptors interceptors;
    final ListenerTransactions transactions;
    private final Map<String, ListenerDefinition> listeners = new HashMap<>();
    private final UnknownTypes unknownTypes = new UnknownTypes();

    /** @param transactions for transactional listeners; null if there are none */
    public HandlerInvoker(
            List<ListenerDefinition> listeners,
            Services services,
            Extensions extensions,
            @Nullable TransactionOperations transactions) {
        listeners.forEach(listener -> listener.types().forEach(type -> this.listeners.put(type, listener)));
        this.services = services;
        this.failures = new Failures(extensions.redactors(), extensions.slowDowns());
        this.beginFailures = new BeginFailures(failures::loggable);
        this.interceptors = new Interceptors(extensions);
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
            logContext(execution.job());
            return interceptors.noneAroundAttempts() ? told(context) : surrounded(context);
        } finally {
            context.close();
            own.restore(listener.name());
            execution.end();
        }
    }

    private Outcome surrounded(ExecutionContext context) {
        long id = context.id();
        return Objects.requireNonNull(interceptors
                .aroundAttempt(List.of(context.execution.job()), () -> Map.of(id, told(context)))
                .get(id));
    }

    private Outcome told(ExecutionContext context) {
        Outcome outcome = outcome(context);
        failureLog.tell(context.execution.job(), outcome);
        return outcome;
    }

    private Outcome outcome(ExecutionContext context) {
        try {
            return returned(context, call(context));
        } catch (Throwable thrown) { // user code: whatever it throws fails its job, never the worker
            if (!context.begun() && BeginFailures.notReady(thrown)) {
                return notBegun(context.execution, thrown);
            }
            return thrown == context.unstorableResult() ? unstorable(context, thrown) : thrown(context, thrown);
        }
    }

    private @Nullable Object call(ExecutionContext context) throws Throwable {
        String payload = payload(context.execution);
        if (interceptors.noneAroundCalls()) {
            return attempt(context, payload);
        }
        List<JobContext> chunk = context.listener.chunking() == null ? null : List.of(context);
        return interceptors.aroundCall(context, chunk, () -> attempt(context, payload));
    }

    /** What interceptors wrap. */
    private @Nullable Object attempt(ExecutionContext context, String payload) throws Throwable {
        if (!context.listener.transactional()) {
            return handle(context, payload);
        }
        AtomicReference<@Nullable Object> result = new AtomicReference<>();
        transactions.run(context.listener, () -> {
            result.set(handle(context, payload));
            complete(context, result.get());
        });
        return result.get();
    }

    /** The time in which the job waited for a thread, its payload or its transaction does not count. */
    private @Nullable Object handle(ExecutionContext context, String payload) throws Throwable {
        Execution execution = context.execution;
        if (execution.stopped() != Execution.Stop.NONE) {
            throw new RollBack("the job was stopped before its handler began");
        }
        context.begin();
        beginFailures.begun(execution.job());
        Duration timeout = timeout(execution.job(), context.listener);
        if (timeout != null) {
            services.deadlines().watch(execution, timeout);
        }
        return context.listener.handler().handle(context, payload);
    }

    /** What the handler wrote must not be committed unless its job is done, by its own hand or by ours. */
    private static void complete(ExecutionContext context, @Nullable Object returned) {
        Object result = kept(context, returned);
        switch (context.execution.completion()) {
            case BY_RECORDER -> context.complete(result);
            case ROLLED_BACK, NO_PARTITION -> throw notCompleted();
            case IN_OPEN_TRANSACTION, COMMITTED -> {}
        }
    }

    private static UnexpectedRollbackException notCompleted() {
        return new UnexpectedRollbackException("the transaction that completed the job rolled back");
    }

    private Outcome returned(ExecutionContext context, @Nullable Object returned) {
        Execution.Completion completion = context.execution.completion();
        if (completion == Execution.Completion.COMMITTED || stands(completion)) {
            return new Outcome.AlreadyCompleted();
        }
        if (completion != Execution.Completion.BY_RECORDER) {
            // "Done" was undone together with the handler's own changes.
            return thrown(context, notCompleted());
        }
        try {
            Object result = kept(context, returned);
            return result == null
                    ? COMPLETED
                    : new Outcome.Completed(services.results().encode(result));
        } catch (PayloadException e) {
            return unstorable(context, e);
        }
    }

    /** Nobody commits a transaction in which this one is nested before the job has ended. */
    private boolean stands(Execution.Completion completion) {
        return completion == Execution.Completion.IN_OPEN_TRANSACTION
                && services.database().nests();
    }

    /** Most return values are by the way: of a chained call, say, or a whole entity. */
    private static @Nullable Object kept(ExecutionContext context, @Nullable Object returned) {
        if (returned instanceof Outcome) {
            // Whoever returns one expects it to be obeyed; to complete the job would be the opposite of most.
            throw context.unstorable(new PayloadException(
                    "%s returned an Outcome, which decides nothing: throw an exception instead, such as SnoozeException or DoNotRetryException"
                            .formatted(context.listener.name()),
                    null));
        }
        return context.listener.keepResult() ? returned : null;
    }

    /**
     * Doing the work again would not make the result serialize, whether it is done or was rolled back. But a codec that was
     * interrupted has said nothing about the result.
     */
    private Outcome unstorable(ExecutionContext context, Throwable thrown) {
        return context.execution.stopped() == Execution.Stop.NONE
                ? failures.dead(context.execution, thrown)
                : thrown(context, thrown);
    }

    private Outcome thrown(ExecutionContext context, Throwable thrown) {
        Execution execution = context.execution;
        return switch (execution.completion()) {
            case COMMITTED -> completedAllTheSame(execution, thrown);
            case NO_PARTITION -> withoutPartition(execution.job(), execution.stopped());
            case BY_RECORDER, IN_OPEN_TRANSACTION, ROLLED_BACK -> failures.outcome(execution, context.listener, thrown);
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

    /** What becomes of a job that could not begin. */
    Outcome notBegun(Execution execution, Throwable thrown) {
        return execution.stopped() == Execution.Stop.NONE
                ? beginFailures.failed(execution.job(), thrown, System.nanoTime())
                : Failures.notStarted(execution.stopped());
    }

    /** The JSON, read now if it was too large to come with its claim. */
    String payload(Execution execution) {
        String payload = execution.job().payload();
        if (payload != null) {
            return payload;
        }
        return services.claims().payload(execution.job().claim()).orElseThrow(() -> {
            execution.stop(Execution.Stop.CLAIM_LOST);
            return new ClaimLostException(execution.job().claim());
        });
    }

    /** How long its handler may take; null for no limit. */
    static @Nullable Duration timeout(ClaimedJob job, ListenerDefinition listener) {
        return job.timeout() != null ? job.timeout() : listener.timeout();
    }

    /**
     * Makes the partition of done without which a transaction could not complete its job. What the handler wrote is rolled back, so the job
     * runs again, at no cost in attempts.
     */
    Outcome withoutPartition(ClaimedJob job, Execution.Stop stopped) {
        try {
            services.partitions().makeMissing();
            return Failures.notStarted(stopped);
        } catch (RuntimeException e) {
            log.warn("creating the partition of done for today failed; {} waits", job, e);
            return new Outcome.Snoozed(WITHOUT_PARTITION, "done has no partition for today");
        }
    }

    /** Which job the thread runs, for each line of the log that is written meanwhile. {@link ThreadState} clears it. */
    private static void logContext(ClaimedJob job) {
        int attempt = job.attempt();
        MDC.put("rowlock.job.id", Long.toString(job.id()));
        MDC.put("rowlock.job.type", job.type());
        MDC.put("rowlock.job.queue", job.queue());
        MDC.put("rowlock.job.attempt", attempt < ATTEMPTS.size() ? ATTEMPTS.get(attempt) : Integer.toString(attempt));
    }
}
