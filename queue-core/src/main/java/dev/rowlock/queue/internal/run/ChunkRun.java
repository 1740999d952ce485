package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Stop;
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
 * Runs a chunk on its thread until each of its jobs has an outcome. A call that fails without naming failed jobs is made again
 * for each half of its jobs, first half first; each job that fails costs as many calls as its chunk can be halved.
 */
final class ChunkRun {

    private final int thread;
    private final ListenerDefinition listener;
    private final Workplace place;
    private final ChunkServices services;
    private final Duration search;
    private final Deque<List<ChunkEntry>> calls = new ArrayDeque<>();
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
        calls.push(jobs.stream().map(ChunkEntry::new).toList());
        while (!calls.isEmpty()) {
            if (begun && (over() || !extendDeadlines())) {
                giveBack();
                return;
            }
            List<ChunkEntry> open = open();
            place.begin(thread, open.stream().map(ChunkEntry::execution).toList(), !begun);
            begun = true;
            long start = System.nanoTime();
            List<ChunkEntry> call = calls.pop();
            ChunkOutcomes outcomes = call.size() == 1 ? alone(call.get(0)) : together(call, open);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            place.end(thread, call.size(), took);
            if (outcomes.culprit() && !culprit) {
                culprit = true;
                culpritAt = System.nanoTime();
            }
            outcomes.byEntry().forEach((entry, outcome) -> place.settle(entry.execution(), outcome, took));
            List<List<ChunkEntry>> again = outcomes.again();
            for (int i = again.size() - 1; i >= 0; i--) {
                calls.push(again.get(i));
            }
        }
    }

    private ChunkOutcomes alone(ChunkEntry entry) {
        Outcome outcome = place.alone(entry.execution());
        ChunkOutcomes outcomes = new ChunkOutcomes();
        if (failure(outcome)) {
            outcomes.culprits(List.of(entry), any -> outcome);
        } else {
            outcomes.end(entry, outcome);
        }
        return outcomes;
    }

    private ChunkOutcomes together(List<ChunkEntry> call, List<ChunkEntry> open) {
        return new ChunkCall(listener, services, call, timeout(open)).make();
    }

    private static boolean failure(Outcome outcome) {
        return outcome instanceof Outcome.Retry || outcome instanceof Outcome.Failed;
    }

    /** Whether no further call is to be made. */
    private boolean over() {
        return calls.stream()
                        .flatMap(List::stream)
                        .anyMatch(entry -> entry.execution().leaving())
                || culprit && System.nanoTime() - culpritAt >= search.toNanos();
    }

    private void giveBack() {
        open().forEach(entry -> place.settle(
                entry.execution(), Failures.notStarted(entry.execution().stopped()), Duration.ZERO));
    }

    /** Those that have no outcome yet. */
    private List<ChunkEntry> open() {
        return calls.stream().flatMap(List::stream).toList();
    }

    /**
     * A further call has all its time, and so have those after it: meanwhile no other node must call these jobs overdue. Returns false
     * if that cannot be said.
     */
    private boolean extendDeadlines() {
        List<ChunkEntry> open = open();
        Duration timeout = timeout(open);
        List<ChunkEntry> limited =
                open.stream().filter(entry -> entry.job().deadline() != null).toList();
        if (timeout == null || limited.isEmpty()) {
            return true;
        }
        List<Claim> claims = limited.stream().map(entry -> entry.job().claim()).toList();
        try {
            Set<Long> held = services.contexts().claims().extendAll(claims, timeout);
            limited.stream()
                    .filter(entry -> !held.contains(entry.job().claim().token()))
                    .forEach(entry -> entry.execution().stop(Stop.CLAIM_LOST));
            return true;
        } catch (RuntimeException e) {
            return false; // the database is away
        }
    }

    /** How long a call may take: no longer than any of the jobs whose deadline passes meanwhile. */
    private @Nullable Duration timeout(List<ChunkEntry> open) {
        return open.stream()
                .map(entry -> entry.job().timeout() != null ? entry.job().timeout() : listener.timeout())
                .flatMap(timeout -> Stream.ofNullable(timeout))
                .filter(Objects::nonNull)
                .min(Duration::compareTo)
                .orElse(null);
    }
}
