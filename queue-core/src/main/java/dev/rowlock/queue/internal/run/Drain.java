package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.job.ClaimedJob;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for running handlers at a stop, first kindly, then not. */
public final class Drain {

    private static final Logger log = LoggerFactory.getLogger(Drain.class);

    private static final Duration MOMENT = Duration.ofSeconds(1);

    private static final Duration LOOK = Duration.ofMillis(20);

    /** A line of the log names no more jobs than this. */
    private static final int NAMED = 20;

    private Drain() {}

    /** Returns how many handlers had to be interrupted. */
    public static int await(List<QueueWorker> queues, Duration drainTimeout, Duration unwind) {
        int interrupted = 0;
        // Handlers that ask may leave by themselves.
        queues.stream().flatMap(queue -> queue.held().all()).forEach(Execution::leave);
        List<ClaimedJob> running = busy(queues);
        if (!running.isEmpty()) {
            log.info(
                    "stopping: {} jobs are running and have {} to end: {}",
                    running.size(),
                    DurationText.of(drainTimeout),
                    named(running));
        }
        if (!awaitIdle(queues, drainTimeout)) {
            List<ClaimedJob> late = busy(queues);
            interrupted = late.size();
            if (!late.isEmpty()) {
                log.warn(
                        "{} jobs have not ended within {} and are interrupted; they go back to their queues at no cost in attempts: {}",
                        late.size(),
                        DurationText.of(drainTimeout),
                        named(late));
            }
            // What they then throw gives their jobs back.
            queues.stream()
                    .flatMap(queue -> queue.held().all())
                    .forEach(execution -> execution.stop(Execution.Stop.SHUTDOWN));
            awaitIdle(queues, unwind);
        }
        queues.forEach(QueueWorker::giveUp);
        return interrupted;
    }

    /** Waits until jobs that came after the drain have been given back. They do not begin, so that is a matter of a moment. */
    public static void awaitLast(List<QueueWorker> queues) {
        awaitIdle(queues, MOMENT);
    }

    private static List<ClaimedJob> busy(List<QueueWorker> queues) {
        return queues.stream().flatMap(queue -> queue.held().busy()).toList();
    }

    private static String named(List<ClaimedJob> jobs) {
        String first = jobs.stream().limit(NAMED).map(ClaimedJob::toString).collect(Collectors.joining(", "));
        return jobs.size() <= NAMED ? first : "%s and %d more".formatted(first, jobs.size() - NAMED);
    }

    private static boolean awaitIdle(List<QueueWorker> queues, Duration longest) {
        try {
            return new TimeBudget(longest).await(() -> busy(queues).isEmpty(), LOOK);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
