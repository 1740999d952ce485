package dev.rowlock.queue.internal.dead;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.dead.DeadJobListeners.Told;
import dev.rowlock.queue.internal.enqueue.IntoRooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.JobOptions;
import java.sql.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues a job for each dead one that nobody has been told of, and marks that: one statement, so each death is told exactly once. */
final class TellOfDead {

    // A job may die while its node starts, before this is noted. Those that died long before have no place in a new
    // listener. A clock that was ahead when it was noted hides no death for longer than until the next note.
    private static final String NOTE_LISTENERS = """
            INSERT INTO rowlock.dead_listener AS l (type, since, seen_at)
            SELECT t.type, statement_timestamp() - interval '1 minute', statement_timestamp()
              FROM unnest(:types::text[]) AS t (type)
             ORDER BY t.type COLLATE "C"
            ON CONFLICT (type) DO UPDATE
               SET since = CASE WHEN l.seen_at < excluded.seen_at - interval '7 days' THEN excluded.since
                                ELSE least(l.since, excluded.since) END,
                   seen_at = excluded.seen_at
            """;

    // Where both columns were plain, the planner could take dead_by_age, and read all that were told: hence the
    // expression, which dead_untold has.
    private static final String UNTOLD = """
            WITH untold AS MATERIALIZED (
                SELECT d.id, t.teller, t.queue
                  FROM unnest(:types::text[], :tellers::text[], :queues::text[]) AS t (type, teller, queue)
                  JOIN rowlock.dead_listener l ON l.type = t.type
                 CROSS JOIN LATERAL (SELECT j.id FROM rowlock.dead j
                                      WHERE j.type = t.type AND NOT j.told AND j.died_at AT TIME ZONE 'UTC' >= l.since AT TIME ZONE 'UTC'
                                        AND j.id <> ALL (:without::bigint[]) AND (:ids::bigint[] IS NULL OR j.id = ANY (:ids::bigint[]))
                                      ORDER BY j.died_at AT TIME ZONE 'UTC' LIMIT :limit
                                        FOR UPDATE SKIP LOCKED) AS d
                 LIMIT :limit
            """;

    private static final String NAMES = UNTOLD + ") SELECT id FROM untold ORDER BY id";

    // Without a key: a dead job may hold up its key, and the one that tells of it as well. Of the headers of
    // Rowlock's own only the title comes along. json_each resolves escapes, and refuses those that text cannot have.
    // Texts may be long: each lies in one column only.
    private static final String TELL = UNTOLD
            + """
            ), marked AS (
                UPDATE rowlock.dead SET told = true
                 WHERE id = ANY (ARRAY(SELECT id FROM untold))
                RETURNING id
            ), created AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.rank, j.queue, j.type, j.headers,
                       CASE WHEN length(j.text) <= %2$d THEN j.text END AS payload,
                       CASE WHEN length(j.text) > %2$d THEN j.text END AS large_payload
                  FROM (SELECT d.rank, u.queue, u.teller AS type,
                               (SELECT json_object_agg(h.key, h.value)
                                  FROM json_each(CASE WHEN d.headers::text COLLATE "C" ~ E'\\\\\\\\u(0000|[dD][89a-fA-F])'
                                                      THEN rowlock.storable(d.headers::text)::json ELSE d.headers END) AS h
                                 WHERE NOT starts_with(h.key, '%1$s') OR h.key = '%3$s')::text AS headers,
                               '{"dead":'
                               || json_build_object('id', d.id, 'type', d.type, 'queue', d.queue, 'quarantined', d.state = 'quarantined',
                                                    'attempts', d.attempt, 'diedAt', d.died_at, 'error', (d.errors -> -1) - 'trace')
                               || ',"payload":'
                               || coalesce(d.payload, (SELECT p.payload FROM rowlock.payload p WHERE p.job_id = d.id), 'null')
                               || '}' AS text
                          FROM untold u JOIN rowlock.dead d ON d.id = u.id
                         WHERE d.id = ANY (ARRAY(SELECT id FROM untold))
                         ORDER BY d.died_at, d.id) AS j
            """.formatted(JobOptions.RESERVED_HEADERS, NewJob.LARGE, Headers.TITLE)
            + IntoRooms.ASIDE
            + Move.created("created", "id, rank, queue, type, headers, payload", ")")
                    .to(Room.READY, "ready_at = statement_timestamp()")
                    .inQueueOrder()
                    .answering(
                            "SELECT queue, min(rank), count(*) FROM created GROUP BY queue ORDER BY queue COLLATE \"C\"");

    /** How many jobs came to a queue. */
    record Enqueued(String queue, int rank, long jobs) {}

    private final Database database;
    private final List<Told> told;

    TellOfDead(Database database, List<Told> told) {
        this.database = database;
        this.told = told;
    }

    /** Notes that these types have listeners that want to be told; of a new one, since now. */
    void noteListeners() {
        database.alone(connection -> ColdStatement.on(connection, database.sql(NOTE_LISTENERS))
                .set("types", Columns.texts(told, Told::type))
                .update());
    }

    /** Tells of up to so many deaths, but not of those of these jobs. */
    List<Enqueued> some(int limit, List<Long> without) {
        return tell(limit, without, null);
    }

    /** Tells of the deaths of these jobs. */
    List<Enqueued> named(List<Long> ids) {
        return tell(ids.size(), List.of(), ids);
    }

    private List<Enqueued> tell(int limit, List<Long> without, @Nullable List<Long> ids) {
        return database.alone(database.numbered(connection -> on(connection, TELL, limit, without, ids)
                .list(row -> new Enqueued(row.getString(1), row.getInt(2), row.getLong(3)))));
    }

    /** The ids of the jobs that {@link #some} would tell of now. */
    List<Long> names(int limit, List<Long> without) {
        return database.alone(
                connection -> on(connection, NAMES, limit, without, null).list(row -> row.getLong(1)));
    }

    private ColdStatement on(
            Connection connection, String sql, int limit, List<Long> without, @Nullable List<Long> ids) {
        return ColdStatement.on(connection, database.sql(sql))
                .set("types", Columns.texts(told, Told::type))
                .set("tellers", Columns.texts(told, Told::teller))
                .set("queues", Columns.texts(told, Told::queue))
                .set("limit", limit)
                .set("without", Columns.longs(without, Long::longValue))
                .set("ids", ids == null ? null : Columns.longs(ids, Long::longValue));
    }
}
