package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.chunk.JobNotReportedException;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.internal.run.BeginFailures.RollBack;
import dev.rowlock.queue.internal.run.Execution.Completion;
import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.Failure;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.spi.Chunking;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * One call of a listener, with one job or with those of a chunk: makes it, and says what it leads to for each job. Where a call with many fails and
 * nobody knows because of which, it is to be made again with fewer. Its thread only.
 */
final class Call {

    private static final Logger log = LoggerFactory.getLogger(Call.class);

    private static final Outcome COMPLETED = new Outcome.Completed(null);
    private static final Outcome ALREADY = new Outcome.AlreadyCompleted();

    private final ListenerDefinition listener;
    private final HandlerInvoker invoker;
    private final List<CalledJob> entries;
    private final @Nullable Chunk chunk; // null: it is for one job
    private final @Nullable Duration timeout;
    private List<CalledJob> begun = List.of();
    private List<CalledJob> ready = List.of(); // of these, the listener is called with them
    private @Nullable RollBack rollBack; // why the transaction must not commit, though the listener returned
    private boolean reported; // the listener has said how each job ended
    private boolean culprit;
    private List<List<CalledJob>> again = List.of();

    /** What only a call with many jobs has: most calls are with one, and allocate nothing for this. */
    private record Chunk(ChunkHandler handler, CallInterrupts interrupts) {}

    private Call(
            ListenerDefinition listener,
            HandlerInvoker invoker,
            List<CalledJob> entries,
            @Nullable Chunk chunk,
            @Nullable Duration timeout) {
        this.listener = listener;
        this.invoker = invoker;
        this.entries = entries;
        this.chunk = chunk;
        this.timeout = timeout;
    }

    /** With one job, whether its listener runs chunks or not. */
    static Call ofOne(ListenerDefinition listener, HandlerInvoker invoker, CalledJob entry) {
        return new Call(
                listener, invoker, List.of(entry), null, HandlerInvoker.timeout(entry.execution.job(), listener));
    }

    /**
     * With two jobs or more.
     *
     * @param timeout how long it may take; null for no limit
     */
    static Call ofChunk(
            ListenerDefinition listener, HandlerInvoker invoker, List<CalledJob> entries, @Nullable Duration timeout) {
        Chunking chunking = Objects.requireNonNull(listener.chunking());
        return new Call(listener, invoker, entries, new Chunk(chunking.handler(), new CallInterrupts()), timeout);
    }

    /** The calls to make next, each with these jobs. */
    List<List<CalledJob>> again() {
        return again;
    }

    /** Whether a job is known that makes a call fail. */
    boolean culprit() {
        return culprit;
    }

    // The call

    /** Makes the call, and notes the outcomes that there are. Never throws. The listener leaves no trace on the thread. */
    void make() {
        begin();
        if (begun.isEmpty()) {
            return;
        }
        ThreadState own = ThreadState.save();
        try {
            LogContext.set(begun.get(0).job(), begun.size());
            if (chunk == null) {
                ready = begun;
            } else {
                ready = new ArrayList<>(begun.size());
                begun.forEach(entry -> read(entry, chunk.handler()));
                if (ready.size() < 2) {
                    again(ready);
                    return;
                }
            }
            ready.forEach(entry -> entry.called(new ExecutionContext(entry.execution, listener, invoker.services)));
            if (invoker.interceptors.noneAroundAttempts()) {
                callAndDecide();
            } else {
                invoker.interceptors.aroundAttempt(
                        ready.stream().map(CalledJob::job).toList(), () -> {
                            callAndDecide();
                            return outcomes();
                        });
            }
        } finally {
            ready.forEach(CalledJob::close);
            own.restore(listener.name());
            if (chunk != null) {
                chunk.interrupts().end();
            }
            begun.forEach(entry -> entry.execution.end());
        }
    }

    private void begin() {
        if (chunk == null) {
            CalledJob only = entries.get(0);
            if (only.execution.begin()) {
                begun = entries;
            } else {
                only.outcome = Failures.notStarted(only.execution.stopped());
            }
            return;
        }
        CallInterrupts interrupts = chunk.interrupts();
        interrupts.begin(entries);
        begun = new ArrayList<>(entries.size());
        for (CalledJob entry : entries) {
            Execution execution = entry.execution;
            if (!execution.settled() && execution.begin(interrupts)) {
                begun.add(entry);
            } else {
                interrupts.without(execution);
                entry.outcome = Failures.notStarted(execution.stopped());
            }
        }
    }

    /** What cannot be read fails alone. */
    private void read(CalledJob entry, ChunkHandler handler) {
        try {
            if (entry.payload == null) {
                entry.payload = handler.read(invoker.payload(entry.execution));
            }
            ready.add(entry);
            return;
        } catch (DataAccessException | VirtualMachineError e) {
            entry.outcome = invoker.notBegun(entry.execution, e);
        } catch (Throwable e) { // user code
            entry.outcome = invoker.failures.outcome(entry.execution, listener, e);
        }
        invoker.failureLog.tell(entry.job(), entry.outcome);
    }

    private void callAndDecide() {
        Object returned = null;
        Throwable thrown = null;
        try {
            returned = call();
            thrown = rollBack; // an interceptor may have swallowed it
        } catch (Throwable e) { // user code: whatever it throws fails jobs, never the worker
            thrown = e;
        }
        decide(returned, thrown);
        for (CalledJob entry : ready) {
            if (entry.outcome != null) {
                invoker.failureLog.tell(entry.job(), entry.outcome);
            }
        }
    }

    /** The outcomes that there are now of the jobs that the listener was called with, by their ids. */
    private Map<Long, Outcome> outcomes() {
        Map<Long, Outcome> byId = new HashMap<>();
        for (CalledJob entry : ready) {
            if (entry.outcome != null) {
                byId.put(entry.job().id(), entry.outcome);
            }
        }
        return byId;
    }

    private @Nullable Object call() throws Throwable {
        CalledJob first = ready.get(0);
        if (chunk == null) {
            first.payload = invoker.payload(first.execution); // within what interceptors of attempts surround
        }
        if (invoker.interceptors.noneAroundCalls()) {
            return attempt();
        }
        List<JobContext> contexts = listener.chunking() == null
                ? null
                : ready.stream().<JobContext>map(CalledJob::context).toList();
        return invoker.interceptors.aroundCall(first.context(), contexts, this::attempt);
    }

    /** What interceptors wrap. */
    private @Nullable Object attempt() throws Throwable {
        if (!listener.transactional()) {
            return handle();
        }
        Object[] result = new Object[1];
        invoker.transactions.run(listener, () -> {
            result[0] = handle();
            complete(result[0]);
        });
        return result[0];
    }

    private boolean allStopped() {
        for (CalledJob entry : ready) {
            if (entry.execution.stopped() == Stop.NONE) {
                return false;
            }
        }
        return true;
    }

    /** The time in which the jobs waited for a thread, their payloads or their transaction does not count. */
    private @Nullable Object handle() throws Throwable {
        if (allStopped()) {
            throw new RollBack("stopped before the handler began");
        }
        for (CalledJob entry : ready) {
            entry.context().begin();
            invoker.beginFailures.begun(entry.job());
        }
        watch();
        if (chunk == null) {
            CalledJob only = ready.get(0);
            return listener.handler().handle(only.context(), (String) Objects.requireNonNull(only.payload));
        }
        List<ChunkJob<Object>> jobs = ready.stream()
                .map(entry -> new ChunkJob<>(Objects.requireNonNull(entry.payload), entry.context()))
                .toList();
        try {
            report(Objects.requireNonNull(
                    chunk.handler().handle(jobs), "the listener returned null instead of a ChunkResult"));
        } catch (ChunkFailedException e) {
            report(e);
            throw e;
        }
        return null;
    }

    private void watch() {
        if (timeout == null) {
            return;
        }
        Deadlines deadlines = invoker.services.deadlines();
        if (chunk == null) {
            deadlines.watch(ready.get(0).execution, timeout);
        } else {
            long at = System.nanoTime() + timeout.toNanos();
            Future<?> timer = deadlines.after(timeout, chunk.interrupts()::timeOut);
            ready.forEach(entry -> entry.execution.deadline(at, timer));
        }
    }

    /** What the handler wrote must not be committed unless all its jobs are done, by its own hand or by ours. */
    private void complete(@Nullable Object returned) {
        if (chunk == null) {
            Object result = kept(returned);
            switch (completion()) {
                case BY_RECORDER -> ready.get(0).context().complete(result);
                case ROLLED_BACK, NO_PARTITION -> throw notCompleted();
                case IN_OPEN_TRANSACTION, COMMITTED -> {}
            }
            return;
        }
        if (failuresNamed()) {
            throw rollBack("the listener says that some jobs failed");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(
                    "%s runs in transactions that do not synchronize".formatted(listener.name()));
        }
        Set<Long> held = finish();
        boolean lost = false;
        for (CalledJob entry : ready) {
            if (!held.contains(entry.job().claim().token()) || entry.execution.stopped() == Stop.CLAIM_LOST) {
                entry.execution.stop(Stop.CLAIM_LOST);
                lost = true;
            }
        }
        if (lost) {
            throw rollBack("the claims of some jobs are lost");
        }
        TransactionSynchronizationManager.registerSynchronization(new Execution.CompletionWatch(
                ready.stream().map(entry -> entry.execution).toList()));
    }

    private Set<Long> finish() {
        OutcomeStatements outcomes = invoker.services.outcomes();
        Map<Boolean, List<Finished>> byKept = ready.stream()
                .collect(Collectors.groupingBy(
                        entry -> outcomes.keeps(entry.job(), entry.result),
                        Collectors.mapping(
                                entry -> new Finished(entry.job().claim(), JobState.COMPLETED, entry.result),
                                Collectors.toList())));
        try {
            Set<Long> held = new HashSet<>();
            byKept.forEach((keeps, jobs) -> held.addAll(outcomes.finishInTransaction(jobs, keeps)));
            return held;
        } catch (RuntimeException e) {
            if (EnsureDonePartitions.missing(e)) {
                ready.forEach(entry -> entry.execution.completion(Completion.NO_PARTITION));
            }
            throw e;
        }
    }

    private RollBack rollBack(String why) {
        RollBack thrown = new RollBack(why);
        rollBack = thrown;
        return thrown;
    }

    private UnexpectedRollbackException notCompleted() {
        return new UnexpectedRollbackException(
                "the transaction that completed the %s rolled back".formatted(chunk == null ? "job" : "chunk"));
    }

    /** How far the call's transaction has got with completing its jobs. */
    private Completion completion() {
        return ready.get(0).execution.completion();
    }

    // What the listener says

    /** Most return values are by the way: of a chained call, say, or a whole entity. */
    private @Nullable Object kept(@Nullable Object returned) {
        if (returned instanceof Outcome) {
            // Whoever returns one expects it to be obeyed; to complete the job would be the opposite of most.
            throw ready.get(0)
                    .context()
                    .unstorable(new PayloadException(
                            "%s returned an Outcome, which decides nothing: throw an exception instead, such as SnoozeException or DoNotRetryException"
                                    .formatted(listener.name()),
                            null));
        }
        return listener.keepResult() ? returned : null;
    }

    /** @throws IllegalStateException if it names a job that is not one of these */
    private void report(ChunkResult said) {
        Set<Long> foreign = new HashSet<>(said.completed().keySet());
        foreign.addAll(said.failed().keySet());
        ready.forEach(entry -> foreign.remove(entry.job().id()));
        if (!foreign.isEmpty() && !said.allCompleted()) {
            throw new IllegalStateException("the ChunkResult names jobs that are not of this chunk: "
                    + foreign.stream().limit(5).sorted().toList());
        }
        ready.forEach(entry -> note(entry, said));
        reported = true;
    }

    private void note(CalledJob entry, ChunkResult said) {
        long id = entry.job().id();
        Throwable why = said.failed().get(id);
        if (said.allCompleted() || why != null) {
            entry.said(null, why, false);
        } else if (!said.completed().containsKey(id)) {
            entry.said(null, new JobNotReportedException(id), false);
        } else {
            try {
                entry.said(
                        invoker.services.results().encode(id, said.completed().get(id)), null, false);
            } catch (PayloadException e) {
                entry.said(null, e, true);
            } catch (RuntimeException e) { // of keys that cannot be had: it fails this job alone
                entry.said(null, e, false);
            }
        }
    }

    /** Says nothing if it names none of these jobs, or others as well: then the jobs that it does not name need not be completed. */
    private void report(ChunkFailedException said) {
        Set<Long> ids = ready.stream().map(entry -> entry.job().id()).collect(Collectors.toSet());
        reported = !said.failed().isEmpty() && ids.containsAll(said.failed().keySet());
        if (reported) {
            ready.forEach(
                    entry -> entry.said(null, said.failed().get(entry.job().id()), false));
        }
    }

    /** Whether the listener says that some jobs failed, and which. */
    private boolean failuresNamed() {
        return reported && ready.stream().anyMatch(entry -> entry.failed != null);
    }

    // What follows

    /**
     * Decides.
     *
     * @param returned by the handler of one job, or in its place
     * @param thrown null if nothing was
     */
    private void decide(@Nullable Object returned, @Nullable Throwable thrown) {
        switch (completion()) {
            case COMMITTED -> committed(thrown);
            case NO_PARTITION -> withoutPartition();
            case BY_RECORDER -> uncommitted(returned, thrown);
            case IN_OPEN_TRANSACTION -> {
                // Nobody commits a transaction in which this one is nested before the job has ended.
                if (thrown == null && invoker.services.database().nests()) {
                    committed(null);
                } else {
                    failed(thrown == null ? notCompleted() : thrown);
                }
            }
            case ROLLED_BACK -> failed(thrown == null ? notCompleted() : thrown);
        }
    }

    private void committed(@Nullable Throwable thrown) {
        if (thrown != null) {
            tell(
                    thrown,
                    error -> log.warn(
                            "{} threw {} after its transaction had committed; it stays completed: {}\n{}",
                            this,
                            error.type(),
                            error.message(),
                            error.trace()));
        }
        ready.forEach(entry -> entry.outcome = ALREADY);
    }

    /** Creates the missing partition for the first job; the others use it as well. */
    private void withoutPartition() {
        CalledJob first = ready.get(0);
        Outcome outcome = invoker.withoutPartition(first.job(), first.execution.stopped());
        ready.forEach(entry -> entry.outcome =
                outcome instanceof Outcome.Snoozed ? outcome : Failures.notStarted(entry.execution.stopped()));
    }

    private void uncommitted(@Nullable Object returned, @Nullable Throwable thrown) {
        if (chunk == null && thrown == null) {
            ready.get(0).outcome = completed(ready.get(0), returned);
        } else if (thrown == null || !listener.transactional() && failuresNamed()) {
            // An interceptor that does not proceed, or swallows an exception, completes the jobs.
            ready.forEach(entry -> entry.outcome = reported && entry.failed != null
                    ? failed(entry, entry.failed)
                    : new Outcome.Completed(reported ? entry.result : null));
        } else {
            failed(thrown);
        }
    }

    private Outcome completed(CalledJob entry, @Nullable Object returned) {
        try {
            Object result = kept(returned);
            return result == null
                    ? COMPLETED
                    : new Outcome.Completed(
                            invoker.services.results().encode(entry.job().id(), result));
        } catch (PayloadException e) {
            entry.unstorable = true;
            return failed(entry, e);
        } catch (Throwable thrown) { // user code, a getter of the result: it fails its job, never the worker
            return failed(entry, thrown);
        }
    }

    /**
     * A result that cannot be kept is no failure of the work: to do that again would not change it, whether it is done or was rolled back. But a codec that
     * was interrupted has said nothing about the result.
     */
    private Outcome failed(CalledJob entry, Throwable why) {
        boolean unstorable = entry.unstorable || why == entry.context().unstorableResult();
        return unstorable && entry.execution.stopped() == Stop.NONE
                ? invoker.failures.dead(entry.execution, why)
                : invoker.failures.outcome(entry.execution, listener, why);
    }

    private void failed(Throwable thrown) {
        if (!ready.get(0).context().begun() && BeginFailures.notReady(thrown)) {
            ready.forEach(entry -> entry.outcome = invoker.notBegun(entry.execution, thrown));
        } else if (chunk == null) {
            ready.get(0).outcome = failed(ready.get(0), thrown);
        } else {
            chunkFailed(thrown);
        }
    }

    private void chunkFailed(Throwable thrown) {
        List<CalledJob> rest = new ArrayList<>();
        for (CalledJob entry : ready) {
            Stop stop = entry.execution.stopped();
            if (stop == Stop.NONE) {
                rest.add(entry);
            } else {
                entry.outcome = Failures.notStarted(stop);
            }
        }
        if (ready.stream().anyMatch(entry -> entry.execution.saidToLeave())) {
            rest.forEach(entry -> entry.outcome = JobRuns.RELEASED);
        } else if (failuresNamed()) {
            List<CalledJob> named =
                    rest.stream().filter(entry -> entry.failed != null).toList();
            named.forEach(entry -> entry.outcome = failed(entry, Objects.requireNonNull(entry.failed)));
            culprit = !named.isEmpty();
            rest.removeIf(entry -> entry.failed != null);
            again(rest);
        } else if (aboutAll(thrown)) {
            rest.forEach(entry -> entry.outcome = invoker.failures.outcome(entry.execution, listener, thrown));
        } else if (rest.size() < ready.size()) {
            again(rest); // the stopped ones may be why it threw
        } else {
            tell(
                    thrown,
                    error -> log.info(
                            "{} failed with {}; calling again with each half of them: {}",
                            this,
                            error.type(),
                            error.message()));
            int half = rest.size() / 2;
            again = List.of(rest.subList(0, half), rest.subList(half, rest.size()));
        }
    }

    /** Calls again with all of them together. */
    private void again(List<CalledJob> with) {
        again = with.isEmpty() ? List.of() : List.of(with);
    }

    /** An exception that names a time to come again concerns all jobs: calling the halves would not tell more. */
    private static boolean aboutAll(Throwable thrown) {
        return Failure.find(thrown, SnoozeException.class).isPresent()
                || Failure.find(thrown, RetryLaterException.class).isPresent();
    }

    private void tell(Throwable thrown, Consumer<JobError> line) {
        JobError error = invoker.failures.loggable(ready.get(0).job(), thrown);
        EndlessTask.tell(() -> line.accept(error));
    }

    @Override
    public String toString() {
        return chunk == null
                ? entries.get(0).job().toString()
                : "a call with %d jobs of type '%s'".formatted(ready.size(), listener.type());
    }
}
