package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobError;
import java.util.regex.Pattern;

/**
 * Takes out of errors what must not be stored or logged: messages may quote addresses, tokens, numbers of cards. Asked about
 * each failed attempt, before its error is stored with the job or logged. Observers get the exception itself. Thread-safe.
 *
 * <p>Of an error whose redactor throws, only the exception's class is kept.
 */
@FunctionalInterface
public interface ErrorRedactor {

    /** What may be kept of the error. Called on the handler's thread. */
    JobError redact(ClaimedJob job, JobError error);

    /** Replaces each match in messages and traces. */
    static ErrorRedactor replacing(Pattern pattern, String replacement) {
        return (job, error) -> new JobError(
                error.type(),
                pattern.matcher(error.message()).replaceAll(replacement),
                pattern.matcher(error.trace()).replaceAll(replacement));
    }
}
