package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.internal.run.Execution.Completion;
import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.Chunking;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One call of a listener with two jobs or more. Its thread only. */
final class ChunkCall implements CompletionWatch.Completed {

    private final ListenerDefinition listener;
    private final Chunking chunking;
    private final ChunkServices services;
    private final List<ChunkEntry> entries;
    private final @Nullable Duration timeout;
    private final CallInterrupts interrupts = new CallInterrupts();
    private final List<ExecutionContext> contexts = new ArrayList<>();
    private List<ChunkEntry> ready = List.of(); // those that the listener is called with
    private @Nullable ChunkReport report; // what the listener said
    private @Nullable RollBack rollBack; // why the transaction must not commit, though the listener returned
    private @Nullable Throwable unbegun; // why the listener was not called, whatever interceptors make of that
    private Completion completion = Completion.BY_RECORDER;

    /** @param timeout how long it may take; null for no limit */
    ChunkCall(
            ListenerDefinition listener, ChunkServices services, List<ChunkEntry> entries, @Nullable Duration timeout) {
        this.listener = listener;
        this.chunking = Objects.requireNonNull(listener.chunking());
        this.services = services;
        this.entries = entries;
        this.timeout = timeout;
    }

    /** Makes the call. Never throws. The listener leaves no trace on the thread. */
    ChunkOutcomes make() {
        ChunkOutcomes outcomes = new ChunkOutcomes();
        List<ChunkEntry> begun = begin(outcomes);
        ThreadState own = ThreadState.save();
        try {
            LogContext.ofChunk(entries.get(0).job(), begun.size());
            ready = readable(begun, outcomes);
            outcomes.byEntry().forEach(this::tell);
            if (ready.size() < 2) {
                outcomes.again(ready);
            } else if (services.attemptInterceptors().none()) {
                callAndDecide(outcomes);
            } else {
                services.attemptInterceptors()
                        .around(ready.stream().map(ChunkEntry::job).toList(), () -> callAndDecide(outcomes));
            }
            return outcomes;
        } finally {
            contexts.forEach(ExecutionContext::close);
            own.restore(listener.name());
            interrupts.end();
            begun.forEach(entry -> entry.execution().end());
        }
    }

    /** Returns the outcomes that there are now of the jobs that the listener was called with, by their ids. */
    private Map<Long, Outcome> callAndDecide(ChunkOutcomes outcomes) {
        Throwable thrown = call();
        new ChunkResultRules(listener, services, ready, outcomes).apply(this, unbegun != null ? unbegun : thrown);
        Map<Long, Outcome> byId = new HashMap<>();
        for (ChunkEntry entry : ready) {
            Outcome outcome = outcomes.byEntry().get(entry);
            if (outcome != null) {
                byId.put(entry.id(), outcome);
                tell(entry, outcome);
            }
        }
        return byId;
    }

    private void tell(ChunkEntry entry, Outcome outcome) {
        services.failureLog().tell(entry.job(), outcome);
    }

    private List<ChunkEntry> begin(ChunkOutcomes outcomes) {
        interrupts.begin(entries.stream().map(ChunkEntry::execution).toList());
        List<ChunkEntry> begun = new ArrayList<>(entries.size());
        for (ChunkEntry entry : entries) {
            Execution execution = entry.execution();
            if (!execution.settled() && execution.begin(interrupts)) {
                begun.add(entry);
            } else {
                interrupts.without(execution);
                outcomes.end(entry, Failures.notStarted(execution.stopped()));
            }
        }
        return begun;
    }

    /** What cannot be read fails alone. */
    private List<ChunkEntry> readable(List<ChunkEntry> begun, ChunkOutcomes outcomes) {
        List<ChunkEntry> readable = new ArrayList<>(begun.size());
        for (ChunkEntry entry : begun) {
            try {
                if (entry.payload() == null) {
                    entry.payload(chunking.handler().read(json(entry)));
                }
                readable.add(entry);
            } catch (DataAccessException | VirtualMachineError e) {
                outcomes.end(entry, ChunkResultRules.notBegun(services, entry, e));
            } catch (Throwable e) { // user code
                outcomes.end(entry, services.failures().outcome(entry.execution(), listener, e));
            }
        }
        return readable;
    }

    private String json(ChunkEntry entry) {
        String payload = entry.job().payload();
        if (payload != null) {
            return payload;
        }
        return services.contexts().claims().payload(entry.job().claim()).orElseThrow(() -> {
            entry.execution().stop(Stop.CLAIM_LOST);
            return new ClaimLostException(entry.job().claim());
        });
    }

    /** Returns what was thrown; null if all went well. */
    private @Nullable Throwable call() {
        ready.forEach(entry -> contexts.add(new ExecutionContext(entry.execution(), listener, services.contexts())));
        try {
            if (services.interceptors().isEmpty()) {
                attempt();
            } else {
                List<JobContext> jobs = List.copyOf(contexts);
                Interceptors.aroundChunk(services.interceptors(), jobs).around(jobs.get(0), () -> {
                    try {
                        attempt();
                    } catch (Throwable e) {
                        unbegun = !begun() && BeginFailures.notReady(e) ? e : null;
                        throw e;
                    }
                    return null;
                });
            }
            return rollBack; // an interceptor may have swallowed it
        } catch (Throwable e) { // user code: whatever it throws fails jobs, never the worker
            return e;
        }
    }

    private void attempt() throws Throwable {
        if (!listener.transactional()) {
            handle();
            return;
        }
        services.transactions().run(listener, () -> {
            handle();
            complete();
        });
    }

    private void handle() throws Throwable {
        contexts.forEach(ExecutionContext::begin);
        ready.forEach(entry -> services.beginFailures().begun(entry.job()));
        watch();
        List<ChunkJob<Object>> jobs = new ArrayList<>(ready.size());
        for (int i = 0; i < ready.size(); i++) {
            jobs.add(new ChunkJob<>(Objects.requireNonNull(ready.get(i).payload()), contexts.get(i)));
        }
        try {
            report = ChunkReport.of(
                    ready,
                    Objects.requireNonNull(
                            chunking.handler().handle(List.copyOf(jobs)),
                            "the listener returned null instead of a ChunkResult"),
                    services.contexts().results());
        } catch (ChunkFailedException e) {
            report = ChunkReport.of(ready, e);
            throw e;
        }
    }

    private void watch() {
        if (timeout != null) {
            long at = System.nanoTime() + timeout.toNanos();
            Future<?> timer = services.contexts().deadlines().after(timeout, interrupts::timeOut);
            ready.forEach(entry -> entry.execution().deadline(at, timer));
        }
    }

    /** What the listener wrote must not be committed unless all its jobs are done. */
    private void complete() {
        ChunkReport said = Objects.requireNonNull(report);
        if (!said.allCompleted()) {
            throw rollBack("the listener says that some jobs failed");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(
                    "%s runs in transactions that do not synchronize".formatted(listener.name()));
        }
        Set<Long> held = finish(said);
        boolean lost = false;
        for (ChunkEntry entry : ready) {
            if (!held.contains(entry.job().claim().token()) || entry.execution().stopped() == Stop.CLAIM_LOST) {
                entry.execution().stop(Stop.CLAIM_LOST);
                lost = true;
            }
        }
        if (lost) {
            throw rollBack("the claims of some jobs are lost");
        }
        TransactionSynchronizationManager.registerSynchronization(new CompletionWatch(this));
    }

    private Set<Long> finish(ChunkReport said) {
        OutcomeStatements outcomes = services.contexts().outcomes();
        Map<Boolean, List<Finished>> byKept = ready.stream()
                .collect(Collectors.groupingBy(
                        entry -> outcomes.keeps(entry.job(), said.results().get(entry)),
                        Collectors.mapping(
                                entry -> new Finished(
                                        entry.job().claim(),
                                        JobState.COMPLETED,
                                        said.results().get(entry)),
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

    @Nullable
    ChunkReport report() {
        return report;
    }

    /** Whether the listener has been called. */
    boolean begun() {
        return contexts.get(0).begun();
    }

    @Override
    public Completion completion() {
        return completion;
    }

    @Override
    public void completion(Completion state) {
        completion = state;
    }

    /** The transaction must not commit; what is to be made of that is noted elsewhere. */
    static final class RollBack extends RuntimeException {

        private static final long serialVersionUID = 1L;

        RollBack(String why) {
            super(why, null, false, false);
        }
    }

    /**
     * Interrupts the thread of a chunk call: at its timeout, at a stop of the node, and when none of its jobs may go on.
     * Cancelling one of them does not stop the others.
     */
    private static final class CallInterrupts implements Execution.Interrupter {

        private final Set<Execution> goOn = Collections.newSetFromMap(new IdentityHashMap<>()); // guarded by this
        private final Collection<Execution> all = new ArrayList<>(); // guarded by this
        private boolean shutDown; // guarded by this
        private @Nullable Thread thread; // guarded by this; during the call

        /** The calling thread begins a call with at most these jobs. */
        synchronized void begin(List<Execution> jobs) {
            goOn.addAll(jobs);
            all.addAll(jobs);
            thread = Thread.currentThread();
        }

        /** This job is not part of it after all. */
        synchronized void without(Execution job) {
            goOn.remove(job);
            all.remove(job);
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
                all.forEach(execution -> execution.outOfTime(true));
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
