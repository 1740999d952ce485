package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.thread.ThreadState;
import dev.rowlock.queue.job.ClaimedJob;
import org.slf4j.MDC;

/**
 * Which job a thread runs, for each line of the log that is written meanwhile: {@code rowlock.job.id}, {@code .type}, {@code
 * .queue} and {@code .attempt}. {@link ThreadState} clears it.
 */
final class LogContext {

    private LogContext() {}

    static void of(ClaimedJob job) {
        MDC.put("rowlock.job.id", Long.toString(job.id()));
        MDC.put("rowlock.job.type", job.type());
        MDC.put("rowlock.job.queue", job.queue());
        MDC.put("rowlock.job.attempt", Integer.toString(job.attempt()));
    }
}
