package dev.rowlock.queue.internal.chunk;

import dev.rowlock.queue.internal.attempt.Execution;
import dev.rowlock.queue.internal.attempt.Execution.Stop;
import dev.rowlock.queue.internal.attempt.Failures;
import dev.rowlock.queue.internal.run.Workplace;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A chunk on its thread, until each of its jobs has an outcome. A call that fails without saying whose fault that is, is made
 * again for each half of its jobs, first half first; each culprit costs as many calls as its chunk can be halved.
 */
final class ChunkRun {

    private final int thread;
    private final ListenerDefinition listener;
    private final Workplace place;
    private final ChunkServices services;
    private final Duration search;
    private final Deque<List<Member>> calls = new ArrayDeque<>();
    private boolean begun;
    private boolean culprit; // one is found
    private long culpritAt; // monotonic

    ChunkRun(int thread, ListenerDefinition listener, Workplace place, ChunkServices services) {
        this.thread = thread;
        this.listener = listener;
        this.place = place;
        this.services = services;
        this.search = services.search();
    }

    void run(List<Execution> jobs) {
        calls.push(jobs.stream().map(Member::new).toList());
        while (!calls.isEmpty()) {
            if (begun && (over() || !extendDeadlines())) {
                giveBack();
                return;
            }
            List<Member> open = open();
            place.begin(thread, open.stream().map(Member::execution).toList(), !begun);
            begun = true;
            long start = System.nanoTime();
            List<Member> call = calls.pop();
            Verdict verdict = call.size() == 1 ? alone(call.get(0)) : together(call, open);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            place.end(thread, call.size(), took);
            if (verdict.culprit() && !culprit) {
                culprit = true;
                culpritAt = System.nanoTime();
            }
            verdict.outcomes().forEach((member, outcome) -> place.settle(member.execution(), outcome, took));
            List<List<Member>> again = verdict.again();
            for (int i = again.size() - 1; i >= 0; i--) {
                calls.push(again.get(i));
            }
        }
    }

    private Verdict alone(Member member) {
        Outcome outcome = place.alone(member.execution());
        Verdict verdict = new Verdict();
        if (failure(outcome)) {
            verdict.culprits(List.of(member), any -> outcome);
        } else {
            verdict.end(member, outcome);
        }
        return verdict;
    }

    private Verdict together(List<Member> call, List<Member> open) {
        return new ChunkCall(listener, services, call, timeout(open)).make();
    }

    private static boolean failure(Outcome outcome) {
        return outcome instanceof Outcome.Retry || outcome instanceof Outcome.Failed;
    }

    /** Whether no further call is to be made. */
    private boolean over() {
        return calls.stream()
                        .flatMap(List::stream)
                        .anyMatch(member -> member.execution().leaving())
                || culprit && System.nanoTime() - culpritAt >= search.toNanos();
    }

    private void giveBack() {
        open().forEach(member -> place.settle(
                member.execution(), Failures.notStarted(member.execution().stopped()), Duration.ZERO));
    }

    /** Those that have no outcome yet. */
    private List<Member> open() {
        return calls.stream().flatMap(List::stream).toList();
    }

    /**
     * A further call has all its time, and so have those after it: meanwhile no other node must call these jobs overdue. Returns false
     * if that cannot be said.
     */
    private boolean extendDeadlines() {
        List<Member> open = open();
        Duration timeout = timeout(open);
        List<Member> limited =
                open.stream().filter(member -> member.job().deadline() != null).toList();
        if (timeout == null || limited.isEmpty()) {
            return true;
        }
        List<Claim> claims =
                limited.stream().map(member -> member.job().claim()).toList();
        try {
            Set<Long> held = services.extend().run(claims, timeout);
            limited.stream()
                    .filter(member -> !held.contains(member.job().claim().token()))
                    .forEach(member -> member.execution().stop(Stop.CLAIM_LOST));
            return true;
        } catch (RuntimeException e) {
            return false; // the database is away
        }
    }

    /** How long a call may take: no longer than any of the jobs whose deadline passes meanwhile. */
    private @Nullable Duration timeout(List<Member> open) {
        return open.stream()
                .map(member -> member.job().timeout() != null ? member.job().timeout() : listener.timeout())
                .flatMap(timeout -> Stream.ofNullable(timeout))
                .filter(Objects::nonNull)
                .min(Duration::compareTo)
                .orElse(null);
    }
}
