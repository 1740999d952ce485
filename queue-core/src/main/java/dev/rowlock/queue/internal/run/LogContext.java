package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.ClaimedJob;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.MDC;

/**
 * Which job a thread runs, for each line of the log that is written meanwhile: {@code rowlock.job.id}, {@code .type}, {@code
 * .queue} and {@code .attempt}. {@link ThreadState} clears it.
 */
final class LogContext {

    /** The usual ones, since each job needs one. */
    private static final List<String> ATTEMPTS =
            IntStream.range(0, 32).mapToObj(Integer::toString).toList();

    private LogContext() {}

    static void of(ClaimedJob job) {
        MDC.put("rowlock.job.id", Long.toString(job.id()));
        MDC.put("rowlock.job.type", job.type());
        MDC.put("rowlock.job.queue", job.queue());
        MDC.put("rowlock.job.attempt", attempt(job.attempt()));
    }

    /** Which chunk it runs: the queue, the type, and how many jobs there are. */
    public static void ofChunk(ClaimedJob first, int jobs) {
        MDC.put("rowlock.job.type", first.type());
        MDC.put("rowlock.job.queue", first.queue());
        MDC.put("rowlock.chunk.jobs", Integer.toString(jobs));
    }

    private static String attempt(int number) {
        return number < ATTEMPTS.size() ? ATTEMPTS.get(number) : Integer.toString(number);
    }
}
