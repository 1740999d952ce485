package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.internal.run.BeginFailures.RollBack;
import dev.rowlock.queue.internal.run.ChunkRun.Entry;
import dev.rowlock.queue.internal.run.Execution.Completion;
import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.Chunking;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One call of a listener with two jobs or more. Its thread only. */
final class ChunkCall implements CompletionWatch.Completed {

    private final ListenerDefinition listener;
    private final Chunking chunking;
    private final HandlerInvoker invoker;
    private final List<Entry> entries;
    private final @Nullable Duration timeout;
    private final CallInterrupts interrupts = new CallInterrupts();
    private final List<Entry> begun = new ArrayList<>();
    private final List<Entry> ready =
            new ArrayList<>(); // of these, their payloads are read: the listener is called with them
    private @Nullable RollBack rollBack; // why the transaction must not commit, though the listener returned
    private Completion completion = Completion.BY_RECORDER;

    /** @param timeout how long it may take; null for no limit */
    ChunkCall(ListenerDefinition listener, HandlerInvoker invoker, List<Entry> entries, @Nullable Duration timeout) {
        this.listener = listener;
        this.chunking = Objects.requireNonNull(listener.chunking());
        this.invoker = invoker;
        this.entries = entries;
        this.timeout = timeout;
    }

    /** Makes the call, and notes the outcomes that there are. Never throws. The listener leaves no trace on the thread. */
    ChunkResultRules make() {
        begin();
        ThreadState own = ThreadState.save();
        try {
            logContext();
            begun.forEach(this::read);
            entries.forEach(this::tell);
            ChunkResultRules rules = new ChunkResultRules(listener, invoker, ready);
            if (ready.size() < 2) {
                return rules; // again
            }
            ready.forEach(entry -> entry.called(new ExecutionContext(entry.execution, listener, invoker.services)));
            if (invoker.interceptors.noneAroundAttempts()) {
                callAndDecide(rules);
            } else {
                invoker.interceptors.aroundAttempt(
                        ready.stream().map(Entry::job).toList(), () -> callAndDecide(rules));
            }
            return rules;
        } finally {
            ready.forEach(Entry::close);
            own.restore(listener.name());
            interrupts.end();
            begun.forEach(entry -> entry.execution.end());
        }
    }

    private void begin() {
        interrupts.begin(entries.stream().map(entry -> entry.execution).toList());
        for (Entry entry : entries) {
            if (!entry.execution.settled() && entry.execution.begin(interrupts)) {
                begun.add(entry);
            } else {
                interrupts.without(entry.execution);
                entry.outcome = Failures.notStarted(entry.execution.stopped());
            }
        }
    }

    /** Which chunk the thread runs, for each line of the log that is written meanwhile. */
    private void logContext() {
        MDC.put("rowlock.job.type", entries.get(0).job().type());
        MDC.put("rowlock.job.queue", entries.get(0).job().queue());
        MDC.put("rowlock.chunk.jobs", Integer.toString(begun.size()));
    }

    /** What cannot be read fails alone. */
    private void read(Entry entry) {
        try {
            if (entry.payload == null) {
                entry.payload = chunking.handler().read(invoker.payload(entry.execution));
            }
            ready.add(entry);
        } catch (DataAccessException | VirtualMachineError e) {
            entry.outcome = invoker.notBegun(entry.execution, e);
        } catch (Throwable e) { // user code
            entry.outcome = invoker.failures.outcome(entry.execution, listener, e);
        }
    }

    private void tell(Entry entry) {
        if (entry.outcome != null) {
            invoker.failureLog.tell(entry.job(), entry.outcome);
        }
    }

    /** Returns the outcomes that there are now of the jobs that the listener was called with, by their ids. */
    private Map<Long, Outcome> callAndDecide(ChunkResultRules rules) {
        Throwable thrown = call(rules);
        rules.apply(completion, thrown); // the call has changed it
        Map<Long, Outcome> byId = new HashMap<>();
        for (Entry entry : ready) {
            if (entry.outcome != null) {
                byId.put(entry.job().id(), entry.outcome);
                tell(entry);
            }
        }
        return byId;
    }

    /** Returns what was thrown; null if all went well. */
    private @Nullable Throwable call(ChunkResultRules rules) {
        try {
            List<JobContext> jobs =
                    ready.stream().<JobContext>map(Entry::context).toList();
            invoker.interceptors.aroundCall(ready.get(0).context(), jobs, () -> {
                attempt(rules);
                return null;
            });
            return rollBack; // an interceptor may have swallowed it
        } catch (Throwable e) { // user code: whatever it throws fails jobs, never the worker
            return e;
        }
    }

    private void attempt(ChunkResultRules rules) throws Throwable {
        if (!listener.transactional()) {
            handle(rules);
            return;
        }
        invoker.transactions.run(listener, () -> {
            handle(rules);
            complete(rules);
        });
    }

    private void handle(ChunkResultRules rules) throws Throwable {
        ready.forEach(entry -> entry.context().begin());
        ready.forEach(entry -> invoker.beginFailures.begun(entry.job()));
        watch();
        List<ChunkJob<Object>> jobs = ready.stream()
                .map(entry -> new ChunkJob<>(Objects.requireNonNull(entry.payload), entry.context()))
                .toList();
        try {
            rules.report(Objects.requireNonNull(
                    chunking.handler().handle(jobs), "the listener returned null instead of a ChunkResult"));
        } catch (ChunkFailedException e) {
            rules.report(e);
            throw e;
        }
    }

    private void watch() {
        if (timeout != null) {
            long at = System.nanoTime() + timeout.toNanos();
            Future<?> timer = invoker.services.deadlines().after(timeout, interrupts::timeOut);
            ready.forEach(entry -> entry.execution.deadline(at, timer));
        }
    }

    /** What the listener wrote must not be committed unless all its jobs are done. */
    private void complete(ChunkResultRules rules) {
        if (rules.failuresNamed()) {
            throw rollBack("the listener says that some jobs failed");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(
                    "%s runs in transactions that do not synchronize".formatted(listener.name()));
        }
        Set<Long> held = finish();
        boolean lost = false;
        for (Entry entry : ready) {
            if (!held.contains(entry.job().claim().token()) || entry.execution.stopped() == Stop.CLAIM_LOST) {
                entry.execution.stop(Stop.CLAIM_LOST);
                lost = true;
            }
        }
        if (lost) {
            throw rollBack("the claims of some jobs are lost");
        }
        TransactionSynchronizationManager.registerSynchronization(new CompletionWatch(this));
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
                completion = Completion.NO_PARTITION;
            }
            throw e;
        }
    }

    private RollBack rollBack(String why) {
        RollBack thrown = new RollBack(why);
        rollBack = thrown;
        return thrown;
    }

    @Override
    public Completion completion() {
        return completion;
    }

    @Override
    public void completion(Completion state) {
        completion = state;
    }

    /**
     * Interrupts the thread of a chunk call: at its timeout, at a stop of the node, and when none of its jobs may go on.
     * Cancelling one of them does not stop the others.
     */
    private final class CallInterrupts implements Execution.Interrupter {

        private final Set<Execution> goOn = Collections.newSetFromMap(new IdentityHashMap<>()); // guarded by this
        private boolean shutDown; // guarded by this
        private @Nullable Thread thread; // guarded by this; during the call

        /** The calling thread begins a call with at most these jobs. */
        synchronized void begin(List<Execution> jobs) {
            goOn.addAll(jobs);
            thread = Thread.currentThread();
        }

        /** This job is not part of it after all. */
        synchronized void without(Execution job) {
            goOn.remove(job);
        }

        /** The call is over: no interrupt that was meant for it comes any more. */
        synchronized void end() {
            thread = null;
        }

        @Override
        public synchronized void stop(Execution execution, Stop reason, Thread handler) {
            boolean last = goOn.remove(execution) && goOn.isEmpty();
            boolean shutdown = reason == Stop.SHUTDOWN;
            if (shutdown ? !shutDown : last) {
                interrupt();
            }
            shutDown |= shutdown;
        }

        /** The time of the call is up. */
        synchronized void timeOut() {
            if (thread != null) {
                begun.forEach(entry -> entry.execution.outOfTime(true));
                interrupt();
            }
        }

        private void interrupt() {
            if (thread != null) {
                thread.interrupt();
            }
        }
    }
}
