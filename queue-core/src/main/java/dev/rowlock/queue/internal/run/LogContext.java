package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.ClaimedJob;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.MDC;

/** What each line of the log that is written during a call says of it. {@link ThreadState} clears it. */
final class LogContext {

    /** The usual numbers of attempts, since each job needs one. */
    private static final List<String> ATTEMPTS =
            IntStream.range(0, 32).mapToObj(Integer::toString).toList();

    private LogContext() {}

    /** @param first of the jobs that it is made with */
    static void set(ClaimedJob first, int jobs) {
        MDC.put("rowlock.job.type", first.type());
        MDC.put("rowlock.job.queue", first.queue());
        if (jobs == 1) {
            int attempt = first.attempt();
            MDC.put("rowlock.job.id", Long.toString(first.id()));
            MDC.put(
                    "rowlock.job.attempt",
                    attempt < ATTEMPTS.size() ? ATTEMPTS.get(attempt) : Integer.toString(attempt));
        } else {
            MDC.put("rowlock.chunk.jobs", Integer.toString(jobs));
        }
    }
}
