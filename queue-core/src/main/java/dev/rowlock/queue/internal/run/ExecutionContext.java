package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.StopReason;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The handler's view of its execution. */
final class ExecutionContext implements JobContext {

    private static final int MAX_NOTE = 500;
    private static final String TRANSACTION_ABORTED = "25P02";
    private static final int MOST_CAUSES = 20;

    final Execution execution;
    final ListenerDefinition listener;
    private final HandlerInvoker.Services services;
    private boolean begun; // handler's thread only
    private volatile boolean open = true;
    private volatile @Nullable PayloadException unstorableResult;
    private volatile @Nullable Instant deadline;

    public ExecutionContext(Execution execution, ListenerDefinition listener, HandlerInvoker.Services services) {
        this.execution = execution;
        this.listener = listener;
        this.services = services;
    }

    /** The handler begins now: its timeout counts from here. This node's clock measures only how long ago the claim was. */
    public void begin() {
        Instant latest = execution.job().deadline();
        long waited = System.nanoTime() - execution.claimedNanos();
        deadline = latest == null ? null : latest.minus(services.longestWait()).plusNanos(waited);
        begun = true;
    }

    /** Whether the handler has begun. Only its thread may ask. */
    public boolean begun() {
        return begun;
    }

    public void close() {
        open = false;
    }

    @Override
    public long id() {
        return execution.job().id();
    }

    @Override
    public String queue() {
        return execution.job().queue();
    }

    @Override
    public Optional<String> key() {
        return Optional.ofNullable(execution.job().key());
    }

    @Override
    public String type() {
        return execution.job().type();
    }

    @Override
    public int attempt() {
        return execution.job().attempt();
    }

    @Override
    public int crashes() {
        return execution.job().crashes();
    }

    @Override
    public long claimToken() {
        return execution.job().claim().token();
    }

    @Override
    public Map<String, String> headers() {
        return Headers.decode(execution.job().headers());
    }

    @Override
    public Optional<Instant> deadline() {
        return Optional.ofNullable(deadline);
    }

    @Override
    public void extend(Duration fromNow) {
        requireAlone("extend");
        requireChangeable();
        JobOptions.validTimeout(fromNow);
        requireCompletable("extend");
        deadline = services.claims().extend(execution.job().claim(), fromNow).orElseThrow(this::lost);
        services.deadlines().watch(execution, fromNow);
    }

    @Override
    public Optional<StopReason> stopReason() {
        return switch (execution.stopped()) {
            case NONE -> unlessStopped();
            case CANCELLED -> Optional.of(StopReason.CANCELLED);
            case TIMED_OUT -> Optional.of(StopReason.TIMED_OUT);
            case SHUTDOWN -> Optional.of(StopReason.SHUTDOWN);
            case CLAIM_LOST -> Optional.of(StopReason.CLAIM_LOST);
        };
    }

    private Optional<StopReason> unlessStopped() {
        if (execution.seenToLeave()) {
            return Optional.of(StopReason.SHUTDOWN);
        }
        return execution.outOfTime() ? Optional.of(StopReason.TIMED_OUT) : Optional.empty();
    }

    @Override
    public int maxRetries() {
        Integer own = execution.job().maxRetries();
        return own != null
                ? own
                : Failures.fallback(Failures.strategy(execution, listener)).maxRetries();
    }

    @Override
    public Instant enqueuedAt() {
        return execution.job().enqueuedAt();
    }

    @Override
    public List<FailedAttempt> errors() {
        return services.claims().errors(execution.job().claim()).orElseThrow(this::lost);
    }

    @Override
    public void progress(int percent, @Nullable String note) {
        requireChangeable();
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("progress %d must lie between 0 and 100".formatted(percent));
        }
        if (note != null && note.length() > MAX_NOTE) {
            throw new IllegalArgumentException(
                    "a progress note of %d characters is too long: %d are allowed".formatted(note.length(), MAX_NOTE));
        }
        requireCompletable("progress");
        String storable = note == null ? null : note.replace('\u0000', '\uFFFD');
        if (!services.claims().progress(execution.job().claim(), percent, storable)) {
            throw lost();
        }
    }

    @Override
    public void log(String line) {
        requireOpen();
        services.log().add(execution.job(), Objects.requireNonNullElse(line, "null"));
    }

    @Override
    public void saveCheckpoint(Object value) {
        requireChangeable();
        if (execution.stopped() == Execution.Stop.CLAIM_LOST
                || !services.claims().saveCheckpoint(execution.job().claim(), value, services.codec())) {
            throw lost();
        }
        if (!listener.transactional()) {
            services.database().keepAttempt();
        }
    }

    @Override
    public <T> Optional<T> checkpoint(Class<T> type) {
        return services.claims()
                .checkpoint(execution.job().claim(), type, services.codec())
                .orElseThrow(this::lost);
    }

    @Override
    public void completeInTransaction(@Nullable Object result) {
        requireAlone("completeInTransaction");
        complete(result);
    }

    /** Also for a job whose listener runs chunks. */
    void complete(@Nullable Object result) {
        requireChangeable();
        if (services.database().standing() != TransactionStanding.INSIDE
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(
                    "completeInTransaction needs an open transaction on Rowlock's DataSource, of a manager that synchronizes: call it inside @Transactional, on the thread that runs the transaction, before it ends");
        }
        String json = encode(result);
        if (execution.stopped() == Execution.Stop.CLAIM_LOST || !finish(json)) {
            throw lost();
        }
        TransactionSynchronizationManager.registerSynchronization(new Execution.CompletionWatch(List.of(execution)));
    }

    private @Nullable String encode(@Nullable Object result) {
        try {
            return services.results().encode(id(), result);
        } catch (PayloadException e) {
            throw unstorable(e);
        }
    }

    /** Notes that the job dies because of what was to be its result, and returns the exception to throw. */
    PayloadException unstorable(PayloadException e) {
        unstorableResult = e;
        return e;
    }

    /** What {@link #completeInTransaction} threw because it cannot keep the result; null if it has not. */
    @Nullable
    PayloadException unstorableResult() {
        return unstorableResult;
    }

    private boolean finish(@Nullable String result) {
        try {
            OutcomeStatements outcomes = services.outcomes();
            return outcomes.finishInTransaction(
                    execution.job().claim(), result, outcomes.keeps(execution.job(), result));
        } catch (RuntimeException e) {
            if (EnsureDonePartitions.missing(e)) {
                execution.completion(Execution.Completion.NO_PARTITION);
            }
            throw explained(e);
        }
    }

    /**
     * PostgreSQL aborts a transaction in which a statement of the handler has failed, and rejects all that follows, "done" as well. Then with the failure
     * that the handler has not let through; otherwise as it came.
     */
    private static RuntimeException explained(RuntimeException failure) {
        Throwable next = failure;
        for (int depth = 0; depth < MOST_CAUSES && next != null; depth++) {
            if (next instanceof SQLException refusal && TRANSACTION_ABORTED.equals(refusal.getSQLState())) {
                Throwable first = refusal.getCause();
                return new UnexpectedRollbackException(
                        "the job cannot be completed in its transaction, because a statement in it had failed%s, and the listener went on. PostgreSQL takes nothing more in such a transaction: let the exception through, say ON CONFLICT DO NOTHING, or run the statement in a nested transaction (PROPAGATION_NESTED)"
                                .formatted(first == null ? "" : ": " + first.getMessage()),
                        failure);
            }
            next = next.getCause();
        }
        return failure;
    }

    /** The time of a call, and the end of its transaction, are those of all its jobs. */
    private void requireAlone(String what) {
        if (listener.chunking() != null) {
            throw new IllegalStateException(
                    "%s is for listeners that run one job at a time, and %s runs chunks: give it a timeout for the call, or transactional = true"
                            .formatted(what, listener.name()));
        }
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException(
                    "the listener of job %d has returned: its JobContext can change nothing any more".formatted(id()));
        }
    }

    private void requireChangeable() {
        requireOpen();
        if (execution.completion() != Execution.Completion.BY_RECORDER) {
            throw new IllegalStateException(
                    "job %d has been completed by its listener: nothing about it can be changed after that"
                            .formatted(id()));
        }
    }

    /** What changes the job's row beside a transaction that sees one snapshot would keep that from completing the job, at each attempt. */
    private void requireCompletable(String what) {
        String isolation = services.database().isolationOfOneSnapshot();
        if (isolation != null) {
            throw new IllegalStateException(
                    "%s in a transaction with isolation %s would keep job %d from completing in it: call it outside the transaction, or use READ COMMITTED"
                            .formatted(what, isolation, id()));
        }
    }

    private ClaimLostException lost() {
        execution.stop(Execution.Stop.CLAIM_LOST);
        return new ClaimLostException(execution.job().claim());
    }
}
