package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.enqueue.NewJob;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;

/**
 * A recurring job on its way into the table.
 *
 * @param job what its jobs carry
 */
public record ScheduleRow(String name, Timing timing, Duration jitter, MissedRuns missed, Overlap overlap, NewJob job) {

    /** Its columns, in the order in which {@link #set} sets them. */
    static final String COLUMNS = """
            cron, zone, every_millis, jitter_millis, missed, missed_runs, missed_window_millis, overlap, rank, max_retries,
            timeout_millis, queue, type, payload, headers, job_key""";

    /** As many parameters, with their types. */
    static final String PARAMETERS = """
            ?::text, ?::text, ?::bigint, ?::bigint, ?::text, ?::int, ?::bigint, ?::text, ?::smallint, ?::smallint,
            ?::bigint, ?::text, ?::text, ?::json, ?::json, ?::text""";

    /** How many there are. */
    static final int COUNT = 16;

    public static ScheduleRow of(RecurringJob recurring, NewJob job) {
        return new ScheduleRow(
                recurring.name(),
                Timing.of(recurring.schedule()),
                recurring.jitter(),
                recurring.missed(),
                recurring.overlap(),
                job);
    }

    void set(PreparedStatement statement, int from) throws SQLException {
        statement.setString(from, timing.cron());
        statement.setString(from + 1, timing.zone());
        statement.setObject(from + 2, timing.everyMillis(), Types.BIGINT);
        statement.setLong(from + 3, jitter.toMillis());
        statement.setString(from + 4, Words.lower(missed.policy()));
        statement.setInt(from + 5, missed.most());
        statement.setLong(from + 6, missed.window().toMillis());
        statement.setString(from + 7, Words.lower(overlap));
        statement.setInt(from + 8, job.rank());
        statement.setObject(from + 9, job.maxRetries(), Types.INTEGER);
        statement.setObject(
                from + 10, job.timeout() == null ? null : job.timeout().toMillis(), Types.BIGINT);
        statement.setString(from + 11, job.queue());
        statement.setString(from + 12, job.type());
        statement.setString(from + 13, job.payload());
        statement.setString(from + 14, job.headers());
        statement.setString(from + 15, job.key());
    }
}
