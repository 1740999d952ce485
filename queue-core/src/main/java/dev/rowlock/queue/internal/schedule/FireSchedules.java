package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.enqueue.IntoRooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.schedule.RecurringJob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds recurring jobs that are due, enqueues the jobs of their runs, and moves them on to the next one. The last two are one statement, so that a
 * run brings its jobs exactly once whatever dies. Whoever names a version of a row that has changed since does nothing.
 */
final class FireSchedules {

    private final Database database;

    /** Finds recurring jobs whose time has come, and runs that waited for the end of another one which has ended. */
    private final String look;

    /** Moves recurring jobs on to their next run and enqueues the jobs of this one, if nobody else has locked or changed them. */
    private final String fire;

    public FireSchedules(Database database) {
        this.database = database;
        this.look = database.sql(IndexPlan.PREFIX + LOOK);
        this.fire = database.sql(FIRE
                + IntoRooms.ASIDE
                + Move.created("created", COLUMNS, ")")
                        .to(Room.READY, "ready_at = statement_timestamp()")
                        .inQueueOrder()
                        .answering(ANSWER));
    }

    /** Whether the last job of the row {@code s} has not ended. One look by primary key for each room. */
    private static final String LAST_JOB_LIVE = """
            (SELECT w.id FROM rowlock.waiting w WHERE w.id = s.last_job_id) IS NOT NULL
                        OR (SELECT r.id FROM rowlock.ready r WHERE r.id = s.last_job_id) IS NOT NULL
                        OR (SELECT r.id FROM rowlock.running r WHERE r.id = s.last_job_id) IS NOT NULL""";

    // What nodes declare is left to those that do: once nobody does, nobody enqueues it.
    private static final String LOOK = """
            SELECT statement_timestamp(),
                   (SELECT date_part('epoch', n.fire_at - statement_timestamp()) FROM rowlock.schedule n
                     WHERE n.fire_at > statement_timestamp() AND (n.declared_by IS NULL OR n.name = ANY (own.names))
                     ORDER BY n.fire_at, n.name LIMIT 1),
                   EXISTS (SELECT FROM rowlock.schedule q WHERE q.queued_at IS NOT NULL AND q.retired_at IS NULL),
                   ARRAY(SELECT q.last_job_id FROM rowlock.schedule q
                          WHERE q.queued_at IS NOT NULL AND q.retired_at IS NULL AND q.overlap = 'cancel_running' AND q.last_job_id IS NOT NULL),
                   due.*
              FROM (SELECT ?::text[] AS names, ?::text[] AS without, ?::int AS most) AS own
              LEFT JOIN LATERAL (
                    (SELECT %1$s
                       FROM rowlock.schedule s
                      WHERE s.fire_at <= statement_timestamp()
                        AND (s.declared_by IS NULL OR s.name = ANY (own.names)) AND s.name <> ALL (own.without)
                      ORDER BY s.fire_at, s.name LIMIT own.most)
                    UNION ALL
                    (SELECT %1$s
                       FROM rowlock.schedule s
                      WHERE s.queued_at IS NOT NULL AND s.paused_at IS NULL AND s.retired_at IS NULL
                        AND (s.declared_by IS NULL OR s.name = ANY (own.names)) AND s.name <> ALL (own.without)
                        AND NOT (%2$s)
                      LIMIT own.most)) AS due ON true
            """.formatted(StoredSchedule.COLUMNS, LAST_JOB_LIVE);

    /**
     * What there is to do.
     *
     * @param now by the database's clock
     * @param nextIn how long until the next one is due; null: none is
     * @param queued whether runs wait for the end of others
     * @param cancel ids of jobs that are to be cancelled, because a run waits for their end
     * @param due each name once, the most urgent first
     * @param unreadable what is due as well and was written by hand, or by a version that knows more than this one
     */
    public record Look(
            Instant now,
            @Nullable Duration nextIn,
            boolean queued,
            List<Long> cancel,
            List<StoredSchedule> due,
            Map<String, RuntimeException> unreadable) {}

    /**
     * Finds those whose time has come, and runs that waited for the end of another one which has ended.
     *
     * @param declared the names that this node declares
     * @param without the names of those that are left alone
     */
    public Look look(Collection<String> declared, Collection<String> without, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, look)) {
                statement.setObject(1, Columns.texts(List.copyOf(declared), name -> name));
                statement.setObject(2, Columns.texts(List.copyOf(without), name -> name));
                statement.setInt(3, limit);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return look(rows);
                }
            }
        });
    }

    private static Look look(ResultSet rows) throws SQLException {
        Instant now = Instant.MIN;
        Duration nextIn = null;
        boolean queued = false;
        List<Long> cancel = List.of();
        Map<String, StoredSchedule> due = new LinkedHashMap<>();
        Map<String, RuntimeException> unreadable = new LinkedHashMap<>();
        while (rows.next()) {
            now = Objects.requireNonNull(Columns.instant(rows, 1));
            double seconds = rows.getDouble(2);
            nextIn = rows.wasNull() ? null : Duration.ofNanos((long) (seconds * 1e9));
            queued = rows.getBoolean(3);
            cancel = Columns.longList(rows, 4);
            if (rows.getString(5) != null) {
                try {
                    due.putIfAbsent(rows.getString(5), StoredSchedule.read(rows, 5));
                } catch (IllegalArgumentException e) {
                    unreadable.put(rows.getString(5), e);
                }
            }
        }
        return new Look(now, nextIn, queued, cancel, List.copyOf(due.values()), Map.copyOf(unreadable));
    }

    /** How many of its last jobs a recurring job remembers. */
    private static final int RECENT = 10;

    /** Of {@code created}. */
    private static final String COLUMNS =
            "id, rank, max_retries, timeout_millis, queue, job_key, type, headers, payload";

    private static final String FIRE =
            """
            WITH fired AS MATERIALIZED (
                SELECT s.*, t.next AS following, t.fire AS following_fire, t.by_hand, %1$s AS live
                  FROM unnest(:names::text[], :versions::bigint[], :nexts::timestamptz[], :fire_ats::timestamptz[], :by_hand::boolean[])
                       AS t (name, version, next, fire, by_hand)
                  JOIN rowlock.schedule s ON s.name = t.name AND s.version = coalesce(t.version, s.version)
                 WHERE t.by_hand OR s.paused_at IS NULL AND s.retired_at IS NULL
                 ORDER BY s.name
                   FOR UPDATE OF s SKIP LOCKED
            ), run AS MATERIALIZED (
                SELECT r.*, r.at::timestamptz AS time
                  FROM unnest(:run_names::text[], :run_times::text[]) WITH ORDINALITY AS r (name, at, place)
            ), created AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.*
                  FROM (SELECT f.name, r.time, f.rank, f.max_retries,
                               f.timeout_millis, f.queue, f.job_key, f.type,
                               -- As text: JSON may hold what jsonb refuses. Neither value needs an escape.
                               coalesce(rtrim(f.headers::text, '}') || ',', '{')
                               || '"%2$s":"' || f.name || '","%3$s":"' || r.at || '"}' AS headers,
                               CASE WHEN length(f.payload::text) <= %4$d THEN f.payload::text END AS payload,
                               CASE WHEN length(f.payload::text) > %4$d THEN f.payload::text END AS large_payload
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
                       -- With spaces, for a colon before a digit begins a parameter.
                       recent_job_ids = CASE WHEN c.id IS NULL THEN s.recent_job_ids ELSE (c.ids || s.recent_job_ids)[1 : %5$d] END,
                       queued_at = CASE WHEN f.by_hand THEN s.queued_at
                                        WHEN f.live AND f.overlap IN ('queue_one', 'cancel_running')
                                        THEN coalesce(r.time, s.queued_at) END,
                       -- Of the runs that there were, with the one that waited, all but those that got a job or wait now.
                       skipped = s.skipped + CASE WHEN f.by_hand THEN 0
                                                  WHEN f.overlap = 'allow' THEN 0
                                                  WHEN f.live AND f.overlap = 'skip' THEN coalesce(r.runs, 0)
                                                  ELSE coalesce((r.time <> s.queued_at)::int, 0) END,
                       skipped_in_a_row = CASE WHEN f.by_hand THEN s.skipped_in_a_row
                                               WHEN f.live AND f.overlap = 'skip' THEN s.skipped_in_a_row + coalesce(r.runs, 0)
                                               WHEN f.live AND f.overlap <> 'allow' THEN s.skipped_in_a_row + coalesce((r.time <> s.queued_at)::int, 0)
                                               ELSE 0 END
                  FROM fired f
                  LEFT JOIN (SELECT name, max(id) AS id, array_agg(id ORDER BY id DESC) AS ids, max(time) AS time
                               FROM created GROUP BY name) AS c ON c.name = f.name
                  LEFT JOIN (SELECT name, count(*) AS runs, max(time) AS time FROM run GROUP BY name) AS r ON r.name = f.name
                 WHERE s.name = f.name
            """.formatted(LAST_JOB_LIVE, RecurringJob.RECURRING_JOB, RecurringJob.SCHEDULED_AT, NewJob.LARGE, RECENT);

    private static final String ANSWER = """
            SELECT f.name, f.queue, f.rank, count(c.id), max(c.id), f.job_key
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
     * @param key theirs; null: none
     */
    public record Fired(
            String name,
            String queue,
            int rank,
            int jobs,
            @Nullable Long lastJob,
            @Nullable String key) {}

    /** Answers for those that somebody else has neither locked nor changed. */
    public List<Fired> run(List<Tick> ticks) {
        List<Run> runs = ticks.stream()
                .flatMap(tick ->
                        tick.runs().stream().map(at -> new Run(tick.schedule().name(), at)))
                .toList();
        return database.alone(database.numbered(connection -> ColdStatement.on(connection, fire)
                .set("names", Columns.texts(ticks, tick -> tick.schedule().name()))
                .set("versions", Columns.longs(ticks, tick -> tick.schedule().version()))
                .set("nexts", Columns.instants(ticks, Tick::next))
                .set("fire_ats", Columns.instants(ticks, Tick::fireAt))
                .set("by_hand", Columns.flags(ticks, tick -> false))
                .set("run_names", Columns.texts(runs, Run::name))
                .set("run_times", Columns.instants(runs, Run::at))
                .list(FireSchedules::fired)));
    }

    private record Run(String name, Instant at) {}

    /**
     * Enqueues a job of the named one beside its times. Empty if there is none of that name. In the caller's transaction, which has
     * {@linkplain Schedules#locked locked} the row: a snapshot from before would not know the job of a run that has just come.
     */
    public List<Fired> byHand(Connection connection, String name, Instant now) throws SQLException {
        return ColdStatement.on(connection, fire)
                .set("names", new String[] {name})
                .set("versions", new Long[] {null})
                .set("nexts", new String[] {null})
                .set("fire_ats", new String[] {null})
                .set("by_hand", new boolean[] {true})
                .set("run_names", new String[] {name})
                .set("run_times", new String[] {now.toString()})
                .list(FireSchedules::fired);
    }

    private static Fired fired(ResultSet row) throws SQLException {
        return new Fired(
                row.getString(1),
                row.getString(2),
                row.getInt(3),
                row.getInt(4),
                Columns.number(row, 5),
                row.getString(6));
    }
}
