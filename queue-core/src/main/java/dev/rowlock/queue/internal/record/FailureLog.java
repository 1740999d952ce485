package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.text.LineLimit;
import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.Outcome;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line into the log for each attempt that failed: WARN where the job is tried again, ERROR where it is dead, because
 * then nothing happens unless somebody acts. At DEBUG the trace comes along. Never the payload; of the error, what redactors
 * left of it. Thread-safe.
 *
 * <p>Where everything fails, the lines of a second are limited, and those left out are counted.
 */
public final class FailureLog {

    /** Where the class lies is nobody's business: people write this name into their settings. */
    public static final String NAME = "dev.rowlock.queue.failures";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    /** Lines a second. */
    public static final int MOST = 100;

    /** The longest message within a line, in characters. */
    private static final int LONGEST = 500;

    private final LineLimit lines = new LineLimit(MOST, Duration.ofSeconds(1));

    /** The attempt has ended like this. */
    public void tell(ClaimedJob job, Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            tell(job, retry.error(), due(retry.due()), false);
        } else if (outcome instanceof Outcome.Failed failed) {
            tell(job, failed.error(), "it is dead, and stays so unless it is redriven", true);
        }
    }

    private void tell(ClaimedJob job, JobError error, String next, boolean dead) {
        long before = lines.admitted(System.nanoTime());
        if (before < 0) {
            return;
        }
        String trace = log.isDebugEnabled() && !error.trace().isEmpty() ? "\n" + error.trace() : "";
        EndlessTask.tell(() -> {
            if (before > 0) {
                log.warn("{} further failures before this one were not logged", before);
            }
            if (dead) {
                log.error("{} failed with {}: {}; {}{}", job, error.type(), oneLine(error.message()), next, trace);
            } else {
                log.warn("{} failed with {}: {}; {}{}", job, error.type(), oneLine(error.message()), next, trace);
            }
        });
    }

    private static String due(Due due) {
        Duration after = due.after();
        return after != null
                ? "it is tried again after %d ms".formatted(after.toMillis())
                : "it is tried again at " + due.at();
    }

    private static String oneLine(String message) {
        String start = message.length() <= LONGEST ? message : message.substring(0, LONGEST) + " …";
        return start.replaceAll("\\p{Cntrl}+", " ");
    }
}
