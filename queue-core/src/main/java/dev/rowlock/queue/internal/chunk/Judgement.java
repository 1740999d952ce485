package dev.rowlock.queue.internal.chunk;

import dev.rowlock.queue.internal.attempt.BeginFailures;
import dev.rowlock.queue.internal.attempt.Execution.Stop;
import dev.rowlock.queue.internal.attempt.Failures;
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

/** What becomes of the jobs of a call that has ended. */
final class Judgement {

    private static final Logger log = LoggerFactory.getLogger(Judgement.class);

    private static final Outcome ALREADY = new Outcome.AlreadyCompleted();

    private final ListenerDefinition listener;
    private final ChunkServices services;
    private final List<Member> jobs;
    private final Verdict verdict;

    /** @param jobs with which the listener was to be called */
    Judgement(ListenerDefinition listener, ChunkServices services, List<Member> jobs, Verdict verdict) {
        this.listener = listener;
        this.services = services;
        this.jobs = jobs;
        this.verdict = verdict;
    }

    /** @param thrown null if nothing was */
    void of(ChunkCall call, @Nullable Throwable thrown) {
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
                    "{} jobs of type '{}' had completed in their transaction when {} was thrown; they stay completed: {}",
                    jobs.size(),
                    listener.type(),
                    error.type(),
                    error.message()));
        }
        verdict.endAll(jobs, member -> ALREADY);
    }

    /** Made for one of them, it is there for all. */
    private void withoutPartition() {
        Member first = jobs.get(0);
        Outcome outcome = services.missingPartition()
                .outcome(first.job(), first.execution().stopped());
        verdict.endAll(
                jobs,
                member -> outcome instanceof Outcome.Snoozed
                        ? outcome
                        : Failures.notStarted(member.execution().stopped()));
    }

    private void uncommitted(ChunkCall call, @Nullable Throwable thrown) {
        Report report = call.report();
        boolean named = !listener.transactional() && report != null && !report.allCompleted();
        if (thrown == null || named) {
            // An interceptor that does not proceed, or swallows an exception, completes the jobs.
            ended(report != null ? report : Report.completed(jobs));
        } else {
            failed(call, thrown);
        }
    }

    private void ended(Report report) {
        jobs.forEach(member -> verdict.end(
                member,
                report.failed().containsKey(member)
                        ? failed(member, report)
                        : new Outcome.Completed(report.results().get(member))));
    }

    /** A result that cannot be kept is no failure of the work: to do that again would not change it. */
    private Outcome failed(Member member, Report report) {
        Throwable why = Objects.requireNonNull(report.failed().get(member));
        return report.unstorable().contains(member) && !member.stopped()
                ? services.failures().dead(member.execution(), why)
                : services.failures().outcome(member.execution(), listener, why);
    }

    private void failed(ChunkCall call, Throwable thrown) {
        if (!call.begun() && BeginFailures.notReady(thrown)) {
            verdict.endAll(jobs, member -> notBegun(services, member, thrown));
            return;
        }
        List<Member> rest = new ArrayList<>(jobs);
        rest.removeIf(this::stopped);
        boolean leaving = jobs.stream().anyMatch(member -> member.execution().saidToLeave());
        Report report = call.report();
        if (leaving) {
            verdict.endAll(rest, member -> new Outcome.Released());
        } else if (report != null && !report.allCompleted()) {
            List<Member> named =
                    rest.stream().filter(report.failed()::containsKey).toList();
            verdict.culprits(named, member -> failed(member, report));
            verdict.again(report.completedOf(rest));
        } else if (aboutAll(thrown)) {
            verdict.endAll(rest, member -> services.failures().outcome(member.execution(), listener, thrown));
        } else if (rest.size() < jobs.size()) {
            verdict.again(rest); // the stopped ones may be why it threw
        } else {
            tell(thrown);
            verdict.split(rest);
        }
    }

    /** Whether somebody has stopped this job: then that is its outcome. */
    private boolean stopped(Member member) {
        Stop stop = member.execution().stopped();
        if (stop == Stop.NONE) {
            return false;
        }
        verdict.end(member, Failures.notStarted(stop));
        return true;
    }

    /** Who says when to come again, says it of all: to ask each of them would not tell more. */
    private static boolean aboutAll(Throwable thrown) {
        return Failure.find(thrown, SnoozeException.class).isPresent()
                || Failure.find(thrown, RetryLaterException.class).isPresent();
    }

    private void tell(Throwable thrown) {
        JobError error = services.failures().loggable(jobs.get(0).job(), thrown);
        EndlessTask.tell(() -> log.info(
                "a call with {} jobs of type '{}' failed with {}, and is made again for each half of them: {}",
                jobs.size(),
                listener.type(),
                error.type(),
                error.message()));
    }

    static Outcome notBegun(ChunkServices services, Member member, Throwable why) {
        return member.stopped()
                ? Failures.notStarted(member.execution().stopped())
                : services.beginFailures().failed(member.job(), why, System.nanoTime());
    }
}
