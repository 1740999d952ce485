package dev.rowlock.queue.search;

import java.time.Instant;
import java.util.List;

/**
 * Dead jobs that died of the same kind of error. For its jobs, search with {@link JobFilter#fingerprint}.
 *
 * <p>Rowlock implements it; later releases may add methods.
 */
public interface DeadGroup {

    /** 16 hexadecimal digits, made of the error's type, its message without numbers, ids and quoted parts, and the method that threw it. */
    String fingerprint();

    /** How many there are. */
    long jobs();

    /** Of the newest job. */
    String type();

    /** Class of the last error of the newest job, or a word such as {@code timeout}; empty: it has none. */
    String errorType();

    /** Message of that error. */
    String message();

    /** Method that threw it; empty: there is no stack trace. */
    String thrownBy();

    /** When the first of these jobs died. */
    Instant firstDiedAt();

    /** When the last of these jobs died. */
    Instant lastDiedAt();

    /** Id of the job that was enqueued last. */
    long newestJob();

    /**
     * How many of these jobs died in each of the last 24 hours, the oldest hour first. Of a large group, it counts among the 20,000 jobs that were
     * enqueued last.
     */
    List<Long> trend();
}
