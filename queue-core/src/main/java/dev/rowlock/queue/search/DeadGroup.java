package dev.rowlock.queue.search;

import java.time.Instant;

/**
 * Dead jobs that died of the same kind of error. For its jobs, search with {@link JobFilter#fingerprint}.
 *
 * @param fingerprint 16 hexadecimal digits, made of the error's type, its message without numbers, ids and quoted parts, and the
 *     method that threw it
 * @param jobs how many there are
 * @param errorType class of the last error of the newest job, or a word such as {@code timeout}; empty: it has none
 * @param message message of that error
 * @param thrownBy method that threw it; empty: there is no stack trace
 * @param firstDiedAt when the first of these jobs died
 * @param lastDiedAt when the last of these jobs died
 * @param newestJob id of the job that was enqueued last
 */
public record DeadGroup(
        String fingerprint,
        long jobs,
        String errorType,
        String message,
        String thrownBy,
        Instant firstDiedAt,
        Instant lastDiedAt,
        long newestJob) {}
