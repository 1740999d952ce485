package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.Failure;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.UnexpectedRollbackException;

/** Decides the outcome of each job of a chunk call that has ended. */
final class ChunkResultRules {

    private static final Logger log = LoggerFactory.getLogger(ChunkResultRules.class);

    private static final Outcome ALREADY = new Outcome.AlreadyCompleted();

    private final ListenerDefinition listener;
    private final ChunkServices services;
    private final List<ChunkEntry> jobs;
    private final ChunkOutcomes outcomes;

    /** @param jobs with which the listener was to be called */
    ChunkResultRules(
            ListenerDefinition listener, ChunkServices services, List<ChunkEntry> jobs, ChunkOutcomes outcomes) {
        this.listener = listener;
        this.services = services;
        this.jobs = jobs;
        this.outcomes = outcomes;
    }

    /** @param thrown null if nothing was */
    void apply(ChunkCall call, @Nullable Throwable thrown) {
        switch (call.completion()) {
            case COMMITTED -> committed(thrown);
            case NO_PARTITION -> withoutPartition();
            case BY_RECORDER -> uncommitted(call, thrown);
            case IN_OPEN_TRANSACTION, ROLLED_BACK ->
                failed(
                        call,
                        thrown != null
                                ? thrown
                                : new UnexpectedRollbackException(
                                        "the transaction that completed the chunk rolled back"));
        }
    }

    private void committed(@Nullable Throwable thrown) {
        if (thrown != null) {
            JobError error = services.failures().loggable(jobs.get(0).job(), thrown);
            EndlessTask.tell(() -> log.warn(
                    "a call with {} jobs of type '{}' threw {} after its transaction had committed; the jobs stay completed: {}",
                    jobs.size(),
                    listener.type(),
                    error.type(),
                    error.message()));
        }
        outcomes.endAll(jobs, entry -> ALREADY);
    }

    /** Creates the missing partition for the first job; the others use it as well. */
    private void withoutPartition() {
        ChunkEntry first = jobs.get(0);
        Outcome outcome = services.missingPartition()
                .outcome(first.job(), first.execution().stopped());
        outcomes.endAll(
                jobs,
                entry -> outcome instanceof Outcome.Snoozed
                        ? outcome
                        : Failures.notStarted(entry.execution().stopped()));
    }

    private void uncommitted(ChunkCall call, @Nullable Throwable thrown) {
        ChunkReport report = call.report();
        boolean named = !listener.transactional() && report != null && !report.allCompleted();
        if (thrown == null || named) {
            // An interceptor that does not proceed, or swallows an exception, completes the jobs.
            ended(report != null ? report : ChunkReport.completed(jobs));
        } else {
            failed(call, thrown);
        }
    }

    private void ended(ChunkReport report) {
        jobs.forEach(entry -> outcomes.end(
                entry,
                report.failed().containsKey(entry)
                        ? failed(entry, report)
                        : new Outcome.Completed(report.results().get(entry))));
    }

    /** A result that cannot be kept is no failure of the work: to do that again would not change it. */
    private Outcome failed(ChunkEntry entry, ChunkReport report) {
        Throwable why = Objects.requireNonNull(report.failed().get(entry));
        return report.unstorable().contains(entry) && !entry.stopped()
                ? services.failures().dead(entry.execution(), why)
                : services.failures().outcome(entry.execution(), listener, why);
    }

    private void failed(ChunkCall call, Throwable thrown) {
        if (!call.begun() && BeginFailures.notReady(thrown)) {
            outcomes.endAll(jobs, entry -> notBegun(services, entry, thrown));
            return;
        }
        List<ChunkEntry> rest = new ArrayList<>(jobs);
        rest.removeIf(this::stopped);
        boolean leaving = jobs.stream().anyMatch(entry -> entry.execution().saidToLeave());
        ChunkReport report = call.report();
        if (leaving) {
            outcomes.endAll(rest, entry -> new Outcome.Released());
        } else if (report != null && !report.allCompleted()) {
            List<ChunkEntry> named =
                    rest.stream().filter(report.failed()::containsKey).toList();
            outcomes.culprits(named, entry -> failed(entry, report));
            outcomes.again(report.completedOf(rest));
        } else if (aboutAll(thrown)) {
            outcomes.endAll(rest, entry -> services.failures().outcome(entry.execution(), listener, thrown));
        } else if (rest.size() < jobs.size()) {
            outcomes.again(rest); // the stopped ones may be why it threw
        } else {
            tell(thrown);
            outcomes.split(rest);
        }
    }

    /** Whether this job was stopped: then that is its outcome. */
    private boolean stopped(ChunkEntry entry) {
        Stop stop = entry.execution().stopped();
        if (stop == Stop.NONE) {
            return false;
        }
        outcomes.end(entry, Failures.notStarted(stop));
        return true;
    }

    /** An exception that names a time to come again concerns all jobs: calling the halves would not tell more. */
    private static boolean aboutAll(Throwable thrown) {
        return Failure.find(thrown, SnoozeException.class).isPresent()
                || Failure.find(thrown, RetryLaterException.class).isPresent();
    }

    private void tell(Throwable thrown) {
        JobError error = services.failures().loggable(jobs.get(0).job(), thrown);
        EndlessTask.tell(() -> log.info(
                "a call with {} jobs of type '{}' failed with {}; calling again with each half of them: {}",
                jobs.size(),
                listener.type(),
                error.type(),
                error.message()));
    }

    static Outcome notBegun(ChunkServices services, ChunkEntry entry, Throwable why) {
        return entry.stopped()
                ? Failures.notStarted(entry.execution().stopped())
                : services.beginFailures().failed(entry.job(), why, System.nanoTime());
    }
}
