package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.schedule.CronSchedule;
import dev.rowlock.queue.schedule.FixedRate;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.Schedule;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A recurring job as it lies in its row, without what its jobs carry.
 *
 * @param version names this state of the row: who changes it says which one was read
 * @param timing when it runs
 * @param nextAt the time of its next run
 * @param queuedAt the time of a run that waits for the end of the last job; null: none does
 * @param recentJobs ids of its last jobs, the newest first
 * @param declaredBy whose application declares it so; null: it was made at run time
 * @param declarerAlive whether that node is there
 */
record StoredSchedule(
        String name,
        long version,
        Timing timing,
        Duration jitter,
        MissedRuns missed,
        Overlap overlap,
        String queue,
        String type,
        Instant nextAt,
        @Nullable Instant queuedAt,
        @Nullable Instant lastAt,
        @Nullable Long lastJob,
        List<Long> recentJobs,
        long skipped,
        boolean paused,
        boolean retired,
        @Nullable Declarer declaredBy,
        boolean declarerAlive) {

    /**
     * Whose application declares a recurring job.
     *
     * @param node its node; as long as that is there, what it declares counts
     * @param process the first node of its process. It tells which process was started last: a node that lost its lease has another
     *     id, and still runs the same version of the application.
     */
    public record Declarer(long node, long process) {}

    /** What {@link #read} reads, of the row {@code s}. */
    static final String COLUMNS = """
            s.name, s.version, s.cron, s.zone, s.every_millis, s.jitter_millis, s.missed, s.missed_runs,
            s.missed_window_millis, s.overlap, s.queue, s.type, s.next_at, s.queued_at, s.last_at, s.last_job_id, s.recent_job_ids, s.skipped,
            s.paused_at IS NOT NULL AS paused, s.retired_at IS NOT NULL AS retired, s.declared_by, s.declared_process,
            (SELECT n.id FROM rowlock.node n WHERE n.id = s.declared_by) IS NOT NULL AS declarer_alive""";

    /** @param from the column of the name */
    static StoredSchedule read(ResultSet row, int from) throws SQLException {
        Instant nextAt = Columns.instant(row, from + 12);
        if (nextAt == null) {
            throw new SQLException("next_at is null");
        }
        return new StoredSchedule(
                row.getString(from),
                row.getLong(from + 1),
                new Timing(row.getString(from + 2), row.getString(from + 3), Columns.number(row, from + 4)),
                Duration.ofMillis(row.getLong(from + 5)),
                new MissedRuns(
                        MissedRuns.Policy.valueOf(word(row, from + 6)),
                        row.getInt(from + 7),
                        Duration.ofMillis(row.getLong(from + 8))),
                Overlap.valueOf(word(row, from + 9)),
                row.getString(from + 10),
                row.getString(from + 11),
                nextAt,
                Columns.instant(row, from + 13),
                Columns.instant(row, from + 14),
                Columns.number(row, from + 15),
                Columns.longList(row, from + 16),
                row.getLong(from + 17),
                row.getBoolean(from + 18),
                row.getBoolean(from + 19),
                declaredBy(row, from + 20),
                row.getBoolean(from + 22));
    }

    private static String word(ResultSet row, int column) throws SQLException {
        return row.getString(column).toUpperCase(Locale.ROOT);
    }

    private static @Nullable Declarer declaredBy(ResultSet row, int from) throws SQLException {
        Long node = Columns.number(row, from);
        return node == null ? null : new Declarer(node, row.getLong(from + 1));
    }

    /**
     * A schedule as three columns, of which a cron expression fills the first two and a fixed rate the third.
     *
     * @param everyMillis milliseconds
     */
    record Timing(
            @Nullable String cron,
            @Nullable String zone,
            @Nullable Long everyMillis) {

        static Timing of(Schedule schedule) {
            if (schedule instanceof CronSchedule cron) {
                return new Timing(cron.expression(), cron.zone().getId(), null);
            }
            return new Timing(null, null, ((FixedRate) schedule).interval().toMillis());
        }

        /** @throws IllegalArgumentException if the row was written by hand, or by a version that knows more than this one */
        Schedule schedule() {
            if (cron != null && zone != null) {
                return Schedule.cron(cron, zone);
            }
            if (everyMillis != null) {
                return Schedule.every(Duration.ofMillis(everyMillis));
            }
            throw new IllegalArgumentException("there is neither a cron expression with its zone nor a rate");
        }
    }
}
