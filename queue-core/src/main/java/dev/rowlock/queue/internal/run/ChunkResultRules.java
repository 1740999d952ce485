package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.chunk.JobNotReportedException;
import dev.rowlock.queue.internal.run.ChunkRun.Entry;
import dev.rowlock.queue.internal.run.Execution.Completion;
import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.Failure;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.UnexpectedRollbackException;

/** What a chunk call leads to: what its listener said of each job, the outcomes of its jobs, and the calls to make again. */
final class ChunkResultRules {

    private static final Logger log = LoggerFactory.getLogger(ChunkResultRules.class);

    private static final Outcome ALREADY = new Outcome.AlreadyCompleted();

    private final ListenerDefinition listener;
    private final HandlerInvoker invoker;
    private final List<Entry> jobs;
    private boolean reported; // the listener has said how each job ended
    private boolean culprit;
    private List<List<Entry>> again = List.of();

    /** @param jobs with which the listener is to be called; where it is not, they are called again */
    ChunkResultRules(ListenerDefinition listener, HandlerInvoker invoker, List<Entry> jobs) {
        this.listener = listener;
        this.invoker = invoker;
        this.jobs = jobs;
        again(jobs);
    }

    /** The calls to make next, each with these jobs. */
    List<List<Entry>> again() {
        return again;
    }

    /** Whether a job is known that makes a call fail. */
    boolean culprit() {
        return culprit;
    }

    // What the listener says

    /** @throws IllegalStateException if it names a job that is not one of these */
    void report(ChunkResult said) {
        Set<Long> foreign = new HashSet<>(said.completed().keySet());
        foreign.addAll(said.failed().keySet());
        jobs.forEach(entry -> foreign.remove(entry.job().id()));
        if (!foreign.isEmpty() && !said.allCompleted()) {
            throw new IllegalStateException("the ChunkResult names jobs that are not of this chunk: "
                    + foreign.stream().limit(5).sorted().toList());
        }
        jobs.forEach(entry -> note(entry, said));
        reported = true;
    }

    private void note(Entry entry, ChunkResult said) {
        long id = entry.job().id();
        Throwable why = said.failed().get(id);
        if (said.allCompleted() || why != null) {
            entry.said(null, why, false);
        } else if (!said.completed().containsKey(id)) {
            entry.said(null, new JobNotReportedException(id), false);
        } else {
            try {
                entry.said(invoker.services.results().encode(said.completed().get(id)), null, false);
            } catch (PayloadException e) {
                entry.said(null, e, true);
            }
        }
    }

    /** Says nothing if it names none of these jobs, or others as well: then the jobs that it does not name need not be completed. */
    void report(ChunkFailedException said) {
        Set<Long> ids = jobs.stream().map(entry -> entry.job().id()).collect(Collectors.toSet());
        reported = !said.failed().isEmpty() && ids.containsAll(said.failed().keySet());
        if (reported) {
            jobs.forEach(entry -> entry.said(null, said.failed().get(entry.job().id()), false));
        }
    }

    /** Whether the listener says that some jobs failed, and which. */
    boolean failuresNamed() {
        return reported && jobs.stream().anyMatch(entry -> entry.failed != null);
    }

    // What follows

    /**
     * Decides.
     *
     * @param completion how far the call's transaction has got
     * @param thrown null if nothing was
     */
    void apply(Completion completion, @Nullable Throwable thrown) {
        again = List.of();
        switch (completion) {
            case COMMITTED -> committed(thrown);
            case NO_PARTITION -> withoutPartition();
            case BY_RECORDER -> uncommitted(thrown);
            case IN_OPEN_TRANSACTION, ROLLED_BACK ->
                failed(
                        thrown != null
                                ? thrown
                                : new UnexpectedRollbackException(
                                        "the transaction that completed the chunk rolled back"));
        }
    }

    private void committed(@Nullable Throwable thrown) {
        if (thrown != null) {
            JobError error = invoker.failures.loggable(jobs.get(0).job(), thrown);
            EndlessTask.tell(() -> log.warn(
                    "a call with {} jobs of type '{}' threw {} after its transaction had committed; the jobs stay completed: {}",
                    jobs.size(),
                    listener.type(),
                    error.type(),
                    error.message()));
        }
        jobs.forEach(entry -> entry.outcome = ALREADY);
    }

    /** Creates the missing partition for the first job; the others use it as well. */
    private void withoutPartition() {
        Entry first = jobs.get(0);
        Outcome outcome = invoker.withoutPartition(first.job(), first.execution.stopped());
        jobs.forEach(entry -> entry.outcome =
                outcome instanceof Outcome.Snoozed ? outcome : Failures.notStarted(entry.execution.stopped()));
    }

    private void uncommitted(@Nullable Throwable thrown) {
        if (thrown == null || !listener.transactional() && failuresNamed()) {
            // An interceptor that does not proceed, or swallows an exception, completes the jobs.
            jobs.forEach(entry -> entry.outcome = reported && entry.failed != null
                    ? failed(entry, entry.failed)
                    : new Outcome.Completed(reported ? entry.result : null));
        } else {
            failed(thrown);
        }
    }

    /** A result that cannot be kept is no failure of the work: to do that again would not change it. */
    private Outcome failed(Entry entry, Throwable why) {
        return entry.unstorable && entry.execution.stopped() == Stop.NONE
                ? invoker.failures.dead(entry.execution, why)
                : invoker.failures.outcome(entry.execution, listener, why);
    }

    private void failed(Throwable thrown) {
        if (!jobs.get(0).context().begun() && BeginFailures.notReady(thrown)) {
            jobs.forEach(entry -> entry.outcome = invoker.notBegun(entry.execution, thrown));
            return;
        }
        List<Entry> rest = new ArrayList<>();
        for (Entry entry : jobs) {
            Stop stop = entry.execution.stopped();
            if (stop == Stop.NONE) {
                rest.add(entry);
            } else {
                entry.outcome = Failures.notStarted(stop);
            }
        }
        if (jobs.stream().anyMatch(entry -> entry.execution.saidToLeave())) {
            rest.forEach(entry -> entry.outcome = new Outcome.Released());
        } else if (failuresNamed()) {
            List<Entry> named =
                    rest.stream().filter(entry -> entry.failed != null).toList();
            named.forEach(entry -> entry.outcome = failed(entry, Objects.requireNonNull(entry.failed)));
            culprit = !named.isEmpty();
            rest.removeIf(entry -> entry.failed != null);
            again(rest);
        } else if (aboutAll(thrown)) {
            rest.forEach(entry -> entry.outcome = invoker.failures.outcome(entry.execution, listener, thrown));
        } else if (rest.size() < jobs.size()) {
            again(rest); // the stopped ones may be why it threw
        } else {
            tell(thrown);
            int half = rest.size() / 2;
            again = List.of(rest.subList(0, half), rest.subList(half, rest.size()));
        }
    }

    /** Calls again with all of them together. */
    private void again(List<Entry> entries) {
        again = entries.isEmpty() ? List.of() : List.of(entries);
    }

    /** An exception that names a time to come again concerns all jobs: calling the halves would not tell more. */
    private static boolean aboutAll(Throwable thrown) {
        return Failure.find(thrown, SnoozeException.class).isPresent()
                || Failure.find(thrown, RetryLaterException.class).isPresent();
    }

    private void tell(Throwable thrown) {
        JobError error = invoker.failures.loggable(jobs.get(0).job(), thrown);
        EndlessTask.tell(() -> log.info(
                "a call with {} jobs of type '{}' failed with {}; calling again with each half of them: {}",
                jobs.size(),
                listener.type(),
                error.type(),
                error.message()));
    }
}
