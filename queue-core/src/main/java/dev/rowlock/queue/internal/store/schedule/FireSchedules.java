package dev.rowlock.queue.internal.store.schedule;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.internal.store.enqueue.IntoRooms;
import dev.rowlock.queue.internal.store.enqueue.NewJob;
import dev.rowlock.queue.schedule.RecurringJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues the jobs of runs, and moves their recurring jobs on to the next one: one statement, so that a run brings its jobs exactly
 * once whatever dies. Whoever names a version of a row that has changed since does nothing.
 */
public final class FireSchedules {

    /** Whether the last job of the row {@code s} has not ended. One look by primary key for each room. */
    static final String LAST_JOB_LIVE = """
            (SELECT w.id FROM rowlock.waiting w WHERE w.id = s.last_job_id) IS NOT NULL
                        OR (SELECT r.id FROM rowlock.ready r WHERE r.id = s.last_job_id) IS NOT NULL
                        OR (SELECT r.id FROM rowlock.running r WHERE r.id = s.last_job_id) IS NOT NULL""";

    /** How many of its last jobs a recurring job remembers. */
    private static final int RECENT = 10;

    private static final String SQL = """
            WITH fired AS MATERIALIZED (
                SELECT s.*, t.next AS following, t.fire AS following_fire, t.by_hand, %1$s AS live
                  FROM unnest(?::text[], ?::bigint[], ?::timestamptz[], ?::timestamptz[], ?::boolean[])
                       AS t (name, version, next, fire, by_hand)
                  JOIN rowlock.schedule s ON s.name = t.name AND s.version = coalesce(t.version, s.version)
                 WHERE t.by_hand OR s.paused_at IS NULL AND s.retired_at IS NULL
                 ORDER BY s.name
                   FOR UPDATE OF s %2$s
            ), run AS MATERIALIZED (
                SELECT r.*, r.at::timestamptz AS time
                  FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS r (name, at, place)
            ), created AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.*
                  FROM (SELECT f.name, r.time, NULL::timestamptz AS due_at, NULL::bigint AS delay_millis, f.rank, f.max_retries,
                               f.timeout_millis, f.queue, f.job_key, f.type,
                               -- As text: JSON may hold what jsonb refuses. Neither value needs an escape.
                               coalesce(rtrim(f.headers::text, '}') || ',', '{')
                               || '"%3$s":"' || f.name || '","%4$s":"' || r.at || '"}' AS headers,
                               CASE WHEN length(f.payload::text) <= %5$d THEN f.payload::text END AS payload,
                               CASE WHEN length(f.payload::text) > %5$d THEN f.payload::text END AS large_payload
                          FROM fired f JOIN run r ON r.name = f.name
                         WHERE f.overlap = 'allow' OR NOT f.live
                         ORDER BY r.place) AS j
            ), moved AS (
                UPDATE rowlock.schedule s
                   SET version = s.version + 1,
                       next_at = coalesce(f.following, s.next_at),
                       fire_at = CASE WHEN f.following IS NULL THEN s.fire_at ELSE f.following_fire END,
                       last_at = CASE WHEN f.by_hand THEN s.last_at ELSE coalesce(c.time, s.last_at) END,
                       last_job_id = coalesce(c.id, s.last_job_id),
                       recent_job_ids = CASE WHEN c.id IS NULL THEN s.recent_job_ids ELSE (c.ids || s.recent_job_ids)[1:%6$d] END,
                       queued_at = CASE WHEN f.by_hand THEN s.queued_at
                                        WHEN f.live AND f.overlap IN ('queue_one', 'cancel_running')
                                        THEN coalesce(r.time, s.queued_at) END,
                       -- Of the runs that there were, with the one that waited, all but those that got a job or wait now.
                       skipped = s.skipped + CASE WHEN f.by_hand THEN 0
                                                  WHEN f.overlap = 'allow' THEN 0
                                                  WHEN f.live AND f.overlap = 'skip' THEN coalesce(r.runs, 0)
                                                  ELSE coalesce((r.time <> s.queued_at)::int, 0) END
                  FROM fired f
                  LEFT JOIN (SELECT name, max(id) AS id, array_agg(id ORDER BY id DESC) AS ids, max(time) AS time
                               FROM created GROUP BY name) AS c ON c.name = f.name
                  LEFT JOIN (SELECT name, count(*) AS runs, max(time) AS time FROM run GROUP BY name) AS r ON r.name = f.name
                 WHERE s.name = f.name
            """.formatted(
                    LAST_JOB_LIVE, "%s", RecurringJob.RECURRING_JOB, RecurringJob.SCHEDULED_AT, NewJob.LARGE, RECENT);

    private static final String ANSWER = """
            SELECT f.name, f.queue, f.rank, count(c.id), max(c.id), f.job_key IS NOT NULL
              FROM fired f LEFT JOIN created c ON c.name = f.name
             GROUP BY f.name, f.queue, f.rank, f.job_key
            """;

    /**
     * What is to happen to one recurring job.
     *
     * @param runs the times of the runs that take place now, oldest first
     * @param next the time of its next run
     * @param fireAt when that is to be enqueued
     */
    public record Tick(StoredSchedule schedule, List<Instant> runs, Instant next, Instant fireAt) {}

    /**
     * What happened to one recurring job.
     *
     * @param jobs how many jobs were enqueued
     * @param lastJob the id of the last one; null: none
     * @param keyed whether they have a key
     */
    public record Fired(
            String name,
            String queue,
            int rank,
            int jobs,
            @Nullable Long lastJob,
            boolean keyed) {}

    private final Database database;
    private final String sql;
    private final String sqlByHand;

    public FireSchedules(Database database) {
        this.database = database;
        Schema schema = database.schema();
        String rest = IntoRooms.ASIDE + IntoRooms.READY_OR_WAITING + ANSWER;
        this.sql = schema.sql(SQL.formatted("SKIP LOCKED") + rest);
        this.sqlByHand = schema.sql(SQL.formatted("") + rest);
    }

    /** Answers for those that somebody else has neither locked nor changed. */
    public List<Fired> run(List<Tick> ticks) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setObject(
                        1, Columns.texts(ticks, tick -> tick.schedule().name()));
                statement.setObject(
                        2, Columns.longs(ticks, tick -> tick.schedule().version()));
                statement.setObject(3, Columns.instants(ticks, Tick::next));
                statement.setObject(4, Columns.instants(ticks, Tick::fireAt));
                statement.setObject(5, Columns.flags(ticks, tick -> false));
                List<Run> runs = ticks.stream()
                        .flatMap(tick -> tick.runs().stream()
                                .map(at -> new Run(tick.schedule().name(), at)))
                        .toList();
                statement.setObject(6, Columns.texts(runs, Run::name));
                statement.setObject(7, Columns.instants(runs, Run::at));
                return fired(statement);
            }
        });
    }

    private record Run(String name, Instant at) {}

    /**
     * Enqueues a job of the named one beside its times. Empty if there is none of that name. In the caller's transaction, which has
     * {@linkplain ReadSchedules#locked locked} the row: a snapshot from before would not know the job of a run that has just come.
     */
    public List<Fired> byHand(Connection connection, String name, Instant now) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sqlByHand)) {
            statement.setObject(1, new String[] {name});
            statement.setObject(2, new Long[] {null});
            statement.setObject(3, new String[] {null});
            statement.setObject(4, new String[] {null});
            statement.setObject(5, new boolean[] {true});
            statement.setObject(6, new String[] {name});
            statement.setObject(7, new String[] {now.toString()});
            return fired(statement);
        }
    }

    private static List<Fired> fired(PreparedStatement statement) throws SQLException {
        List<Fired> fired = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                fired.add(new Fired(
                        rows.getString(1),
                        rows.getString(2),
                        rows.getInt(3),
                        rows.getInt(4),
                        Columns.number(rows, 5),
                        rows.getBoolean(6)));
            }
        }
        return fired;
    }
}
