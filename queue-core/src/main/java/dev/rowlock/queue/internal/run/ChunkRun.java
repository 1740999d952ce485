package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.run.Execution.Stop;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a chunk on its thread until each of its jobs has an outcome. A call that fails without naming failed jobs is made again
 * for each half of its jobs, first half first; each job that fails costs as many calls as its chunk can be halved.
 */
final class ChunkRun {

    /**
     * For so long a chunk is called again after its first culprit was found. What has not run by then goes back, at no cost: a thread must
     * not be busy for hours with a chunk all of whose jobs take their timeout.
     */
    static final Duration SEARCH = Duration.ofMinutes(1);

    private final int thread;
    private final ListenerDefinition listener;
    private final Workplace place;
    private final HandlerInvoker invoker;
    private final Duration search;
    private final Deque<List<CalledJob>> calls = new ArrayDeque<>();
    private boolean begun;
    private boolean culprit; // one is found: a job that makes a call fail
    private long culpritAt; // monotonic

    ChunkRun(int thread, ListenerDefinition listener, Workplace place, HandlerInvoker invoker, Duration search) {
        this.thread = thread;
        this.listener = listener;
        this.place = place;
        this.invoker = invoker;
        this.search = search;
    }

    void run(List<Execution> jobs) {
        calls.push(jobs.stream().map(CalledJob::new).toList());
        while (!calls.isEmpty()) {
            List<CalledJob> open = calls.stream().flatMap(List::stream).toList(); // those that have no outcome yet
            if (begun && (over(open) || !extendDeadlines(open))) {
                open.forEach(entry ->
                        place.settle(entry.execution, Failures.notStarted(entry.execution.stopped()), Duration.ZERO));
                return;
            }
            place.begin(thread, open.stream().map(entry -> entry.execution).toList(), !begun);
            begun = true;
            long start = System.nanoTime();
            List<CalledJob> call = calls.pop();
            List<List<CalledJob>> again = call.size() == 1 ? alone(call.get(0)) : together(call, open);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            place.end(thread, call.size(), took);
            for (CalledJob entry : call) {
                if (entry.outcome != null) {
                    place.settle(entry.execution, entry.outcome, took);
                }
            }
            for (int i = again.size() - 1; i >= 0; i--) {
                calls.push(again.get(i));
            }
        }
    }

    private List<List<CalledJob>> alone(CalledJob entry) {
        Outcome outcome = place.alone(entry.execution);
        entry.outcome = outcome;
        noteCulprit(outcome instanceof Outcome.Retry || outcome instanceof Outcome.Failed);
        return List.of();
    }

    private List<List<CalledJob>> together(List<CalledJob> call, List<CalledJob> open) {
        Call made = Call.ofChunk(listener, invoker, call, timeout(open));
        made.make();
        noteCulprit(made.culprit());
        return made.again();
    }

    private void noteCulprit(boolean found) {
        if (found && !culprit) {
            culprit = true;
            culpritAt = System.nanoTime();
        }
    }

    /** Whether no further call is to be made. */
    private boolean over(List<CalledJob> open) {
        return open.stream().anyMatch(entry -> entry.execution.leaving())
                || culprit && System.nanoTime() - culpritAt >= search.toNanos();
    }

    /**
     * A further call has all its time, and so have those after it: meanwhile no other node must call these jobs overdue. Returns false
     * if that cannot be said.
     */
    private boolean extendDeadlines(List<CalledJob> open) {
        Duration timeout = timeout(open);
        List<CalledJob> limited =
                open.stream().filter(entry -> entry.job().deadline() != null).toList();
        if (timeout == null || limited.isEmpty()) {
            return true;
        }
        List<Claim> claims = limited.stream().map(entry -> entry.job().claim()).toList();
        try {
            Set<Long> held = invoker.services.claims().extendAll(claims, timeout);
            limited.stream()
                    .filter(entry -> !held.contains(entry.job().claim().token()))
                    .forEach(entry -> entry.execution.stop(Stop.CLAIM_LOST));
            return true;
        } catch (RuntimeException e) {
            return false; // the database is away
        }
    }

    /** How long a call may take: no longer than any of the jobs whose deadline passes meanwhile. */
    private @Nullable Duration timeout(List<CalledJob> open) {
        return open.stream()
                .flatMap(entry -> Stream.ofNullable(HandlerInvoker.timeout(entry.job(), listener)))
                .min(Duration::compareTo)
                .orElse(null);
    }
}
