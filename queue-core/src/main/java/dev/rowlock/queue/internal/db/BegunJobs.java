package dev.rowlock.queue.internal.db;

/** Conditions about jobs that have begun and not ended. In strict order, such a job holds up the others of its key. */
public final class BegunJobs {

    private BegunJobs() {}

    /** Of a row of {@code waiting}: it has begun, or was redriven. The index {@code waiting_begun} has the same condition. */
    public static String waiting(String row) {
        return row + ".reason IN ('retry', 'snooze', 'unknown-type', 'not-started', 'crash', 'redrive')";
    }

    /** Of a row of {@code ready}: it has neither begun nor was it redriven. */
    public static String untouched(String row) {
        return "%1$s.attempt = 0 AND %1$s.crashes = 0 AND %1$s.errors IS NULL".formatted(row);
    }
}
