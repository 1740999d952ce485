package dev.rowlock.queue.search;

import java.time.Instant;
import java.util.List;

/**
 * Dead jobs that died of the same kind of error. For its jobs, search with {@link JobFilter#fingerprint}.
 *
 * @param fingerprint 16 hexadecimal digits, made of the error's type, its message without numbers, ids and quoted parts, and the
 *     method that threw it
 * @param jobs how many there are
 * @param type of the newest job
 * @param errorType class of the last error of the newest job, or a word such as {@code timeout}; empty: it has none
 * @param message message of that error
 * @param thrownBy method that threw it; empty: there is no stack trace
 * @param firstDiedAt when the first of these jobs died
 * @param lastDiedAt when the last of these jobs died
 * @param newestJob id of the job that was enqueued last
 * @param trend how many of these jobs died in each of the last 24 hours, the oldest hour first. Of a large group, it counts among the 20,000 jobs that were
 *     enqueued last
 */
public record DeadGroup(
        String fingerprint,
        long jobs,
        String type,
        String errorType,
        String message,
        String thrownBy,
        Instant firstDiedAt,
        Instant lastDiedAt,
        long newestJob,
        List<Long> trend) {

    public DeadGroup {
        trend = List.copyOf(trend);
    }
}
