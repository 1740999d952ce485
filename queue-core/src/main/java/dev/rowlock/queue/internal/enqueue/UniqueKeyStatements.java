package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.db.BegunJobs;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.job.UniqueKey.OnConflict;
import dev.rowlock.queue.job.UniqueKey.Until;
import dev.rowlock.queue.job.WaitReason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a request with unique keys does, in one transaction: lock the keys, look who holds them, insert or replace jobs. */
final class UniqueKeyStatements {

    private static final String LOCK = """
            INSERT INTO rowlock.unique_key AS k (type, key, job_id)
            SELECT type, key, 0 -- no job has this id
              FROM unnest(:types::text[], :keys::text[]) AS a (type, key)
             ORDER BY type COLLATE "C", key COLLATE "C" -- as in EnqueueUniqueJobs
            ON CONFLICT (type, key) DO UPDATE SET job_id = k.job_id
            """;

    private static final String HOLDERS = """
            SELECT CASE WHEN NOT a.locks AND (look.attempt = 0 AND look.anew OR NOT a.only_idle AND look.attempt IS NOT NULL)
                        THEN rowlock.unmoved(k.job_id) ELSE k.job_id END AS job_id,
                   coalesce(k.held_until > statement_timestamp(), false) AS held_longer,
                   look.attempt IS NOT NULL AS live, coalesce(look.attempt = 0 AND look.anew, false) AS idle,
                   w.id IS NOT NULL OR r.id IS NOT NULL AS locked
              FROM unnest(:types::text[], :keys::text[], :locks::boolean[], :only_idle::boolean[]) WITH ORDINALITY AS a (type, key, locks, only_idle, place)
             -- One look by primary key for each; as joins they could become scans of full tables. A running job is at its first
             -- attempt at least. One with a checkpoint has started, also where its attempt did not count: a snooze, or a shutdown.
             CROSS JOIN LATERAL (SELECT * FROM rowlock.unique_key k WHERE k.type = a.type AND k.key = a.key LIMIT 1) AS k
             CROSS JOIN LATERAL (SELECT coalesce((SELECT w.attempt FROM rowlock.waiting w WHERE w.id = k.job_id),
                                                 (SELECT r.attempt FROM rowlock.ready r WHERE r.id = k.job_id),
                                                 (SELECT r.attempt FROM rowlock.running r WHERE r.id = k.job_id)) AS attempt,
                                       (SELECT c.job_id FROM rowlock.checkpoint c WHERE c.job_id = k.job_id) IS NULL AS anew) AS look
              LEFT JOIN LATERAL (SELECT w.id FROM rowlock.waiting w WHERE w.id = k.job_id AND a.locks AND look.anew AND w.attempt = 0
                                    FOR UPDATE) AS w ON true
              LEFT JOIN LATERAL (SELECT r.id FROM rowlock.ready r WHERE r.id = k.job_id AND a.locks AND look.anew AND r.attempt = 0
                                    FOR UPDATE) AS r ON true
             ORDER BY a.place
            """;

    private static final String INSERT = Move.created(
                    "asked", "id, " + NewJob.COLUMNS, """
                    WITH asked AS MATERIALIZED (
                        -- Rows come out of unnest, and ids out of the sequence, in the order of the arrays.
                        SELECT nextval('rowlock.job_id') AS id, a.*
                          FROM unnest(?::text[], ?::bigint[], ?::bigint[], %s) AS a (key, at_least_millis, after_id, %s)
                    ), taken AS (
                        -- Their rows are there, and locked. As a join, an UPDATE could scan the table.
                        INSERT INTO rowlock.unique_key (type, key, job_id, held_until)
                        SELECT type, key, id, statement_timestamp() + at_least_millis * interval '1 ms'
                          FROM asked
                         WHERE key IS NOT NULL
                        ON CONFLICT (type, key) DO UPDATE SET job_id = excluded.job_id, held_until = excluded.held_until
                    ), aside AS (
                        INSERT INTO rowlock.payload (job_id, bytes, payload)
                        SELECT id, pg_column_size(large_payload) - 4, large_payload::json -- as in IntoRooms
                          FROM asked WHERE large_payload IS NOT NULL
                    ), once_more AS (
                        INSERT INTO rowlock.once_more (job_id, after_id, type, key, due_at)
                        SELECT id, after_id, type, key, coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms')
                          FROM asked WHERE after_id IS NOT NULL
                    )""".formatted(NewJob.PARAMETERS, NewJob.COLUMNS))
            .to(
                    Room.WAITING,
                    "due_at = CASE WHEN after_id IS NOT NULL THEN '%s' ELSE coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms') END"
                            .formatted(ReleaseFollowers.NEVER),
                    "reason = CASE WHEN after_id IS NOT NULL THEN '%s' ELSE '%s' END"
                            .formatted(WaitReason.ONCE_MORE.label(), WaitReason.SCHEDULED.label()))
            .when("after_id IS NOT NULL OR due_at IS NOT NULL OR delay_millis IS NOT NULL")
            .orTo(Room.READY, "ready_at = statement_timestamp()")
            .inQueueOrder()
            .answering("SELECT id FROM asked ORDER BY id");

    private static final String REPLACE = Move.created("renewed", "id, " + NewJob.COLUMNS, """
            WITH asked AS MATERIALIZED (
                SELECT *
                  FROM unnest(?::bigint[], ?::bigint[], %s) AS a (id, longest_millis, %s)
            ), from_waiting AS (
                -- A job that a policy holds is due: it counts as ready, since when it was. Its due time is when it goes on without the policy. Of other
                -- jobs that are due and still here, nobody has moved them yet.
                DELETE FROM rowlock.waiting w WHERE id = ANY (?::bigint[])
                RETURNING id, due_at,
                          CASE WHEN reason = 'policy'
                               THEN coalesce((SELECT h.ready_at FROM rowlock.held_job h WHERE h.job_id = w.id AND h.due_at = w.due_at),
                                             statement_timestamp())
                               WHEN due_at <= statement_timestamp() THEN statement_timestamp() END AS ready_at, enqueued_at, rank, crashes, queue, errors,
                          job_key, CASE WHEN %s THEN reason END AS begun
            ), from_ready AS (
                DELETE FROM rowlock.ready WHERE id = ANY (?::bigint[])
                RETURNING id, NULL::timestamptz, ready_at, enqueued_at, rank, crashes, queue, errors,
                          job_key, CASE WHEN crashes > 0 THEN 'crash' END
            ), old AS MATERIALIZED (
                -- A job that runs once more after another one is due when its row of once_more says.
                SELECT o.*, f.job_id IS NOT NULL AS follows,
                       CASE WHEN f.job_id IS NULL THEN o.due_at ELSE f.due_at END AS old_due_at
                  FROM (TABLE from_waiting UNION ALL TABLE from_ready) AS o
                  LEFT JOIN rowlock.once_more f ON f.job_id = o.id
            ), wished AS MATERIALIZED (
                SELECT a.*, o.follows, o.ready_at, o.enqueued_at, o.crashes, o.errors, o.old_due_at,
                       o.rank = a.rank AND o.queue = a.queue AS same_line,
                       -- In order, a job that has begun holds up its key until it runs again.
                       CASE WHEN o.queue = a.queue AND o.job_key = a.job_key THEN o.begun END AS begun, a.longest_millis IS NOT NULL AS postpones,
                       coalesce(a.due_at, statement_timestamp() + a.delay_millis * interval '1 ms') AS wish,
                       o.enqueued_at + a.longest_millis * interval '1 ms' AS latest
                  FROM asked a JOIN old o ON o.id = a.id
            ), renewed AS MATERIALIZED (
                SELECT *,
                       CASE WHEN NOT postpones THEN wish
                            WHEN ready_at IS NULL THEN greatest(old_due_at, least(wish, latest)) END AS new_due_at
                  FROM wished
            ), into_once_more AS (
                UPDATE rowlock.once_more f SET due_at = n.new_due_at
                  FROM renewed n WHERE n.follows AND f.job_id = n.id
            ), aside AS (
                INSERT INTO rowlock.payload (job_id, bytes, payload)
                SELECT id, pg_column_size(large_payload) - 4, large_payload::json -- as in IntoRooms
                  FROM renewed WHERE large_payload IS NOT NULL
                ON CONFLICT (job_id) DO UPDATE SET bytes = excluded.bytes, payload = excluded.payload
            ), not_aside AS (
                DELETE FROM rowlock.payload
                 WHERE job_id = ANY (ARRAY(SELECT id FROM renewed WHERE large_payload IS NULL))
            )""".formatted(
                            NewJob.PARAMETERS, NewJob.COLUMNS, BegunJobs.waiting("w")))
            .with("enqueued_at = enqueued_at", "crashes = crashes", "errors = errors")
            .to(
                    Room.WAITING,
                    "due_at = CASE WHEN follows THEN '%s' ELSE new_due_at END".formatted(ReleaseFollowers.NEVER),
                    "reason = CASE WHEN follows THEN '%s' ELSE coalesce(begun, '%s') END"
                            .formatted(WaitReason.ONCE_MORE.label(), WaitReason.SCHEDULED.label()))
            .when("follows OR new_due_at IS NOT NULL")
            .orTo(
                    Room.READY,
                    "ready_at = CASE WHEN same_line THEN coalesce(ready_at, statement_timestamp()) ELSE statement_timestamp() END")
            .inQueueOrder()
            .answering("""
            SELECT n.id, n.follows, n.postpones AND n.ready_at IS NULL AS postponed
              FROM asked a LEFT JOIN renewed n ON n.id = a.id
             ORDER BY a.id
            """);

    /**
     * The job that a key names.
     *
     * @param heldLonger whether the key's time has not passed
     * @param live whether the job may still run, or runs
     * @param idle whether it is live and has not started
     * @param locked whether it is idle, and stays so until the transaction ends
     */
    public record Holder(long id, boolean heldLonger, boolean live, boolean idle, boolean locked) {}

    /**
     * A job to insert.
     *
     * @param after the id of the job whose end it waits for; null for none
     */
    public record KeyedJob(NewJob job, @Nullable Long after) {}

    /** What a job is to become. */
    public record Replacement(long id, NewJob job) {

        private OnConflict onConflict() {
            return job.uniqueKey() == null ? OnConflict.KEEP : job.uniqueKey().onConflict();
        }

        private Duration longestWait() {
            return job.uniqueKey() == null ? Duration.ZERO : job.uniqueKey().longestWait();
        }
    }

    /**
     * What became of a job.
     *
     * @param follows it runs once more after another one
     * @param postponed it was not due yet, and its due time was pushed back if it may be
     */
    public record Replaced(long id, boolean follows, boolean postponed) {}

    private final String lock;
    private final String holders;
    private final String insert;
    private final String replace;

    public UniqueKeyStatements(Schema schema) {
        this.lock = schema.sql(LOCK);
        this.holders = schema.sql(HOLDERS);
        this.insert = schema.sql(INSERT);
        this.replace = schema.sql(REPLACE);
    }

    /**
     * Locks the rows of unique keys until the transaction ends, in the order of the keys, so that two calls cannot deadlock. A key
     * without a row gets one that names no job. Nobody else gives such a key to a job before this transaction ends. In the caller's transaction. Each
     * key once.
     */
    public void lock(Connection connection, List<TypedKey> keys) throws SQLException {
        ColdStatement.on(connection, lock)
                .set("types", Columns.texts(keys, TypedKey::type))
                .set("keys", Columns.texts(keys, TypedKey::key))
                .update();
    }

    /**
     * Finds out what the jobs that hold keys are doing, and locks those that have not started and may be changed. A locked job is
     * passed over by claims, so it does not start before the transaction ends. Answers for each key, in the same order. In a transaction that has locked
     * them all.
     *
     * @param asked requests with unique keys
     */
    public List<Holder> holders(Connection connection, List<NewJob> asked) throws SQLException {
        List<UniqueKey> keys = asked.stream()
                .map(job -> Objects.requireNonNull(job.uniqueKey()))
                .toList();
        List<Holder> found = ColdStatement.on(connection, holders)
                .set("types", Columns.texts(asked, NewJob::type))
                .set("keys", Columns.texts(keys, UniqueKey::value))
                .set("locks", Columns.flags(keys, UniqueKeyStatements::changes))
                .set("only_idle", Columns.flags(keys, key -> key.until() != Until.ENDED))
                .list(row -> new Holder(
                        row.getLong(1), row.getBoolean(2), row.getBoolean(3), row.getBoolean(4), row.getBoolean(5)));
        if (found.size() != asked.size()) {
            throw new SQLException("%d answers for %d unique keys".formatted(found.size(), asked.size()));
        }
        return found;
    }

    /** Whether a request changes the job that holds its key, if that has not started. */
    static boolean changes(UniqueKey key) {
        return key.onConflict() != OnConflict.KEEP;
    }

    /**
     * Inserts jobs and gives them their keys. Some of them wait for the end of the job that held the key before. Returns their ids in the same order. In a
     * transaction that has locked their keys. A job without a key is inserted too.
     */
    public long[] insert(Connection connection, List<KeyedJob> keyed) throws SQLException {
        List<NewJob> jobs = keyed.stream().map(KeyedJob::job).toList();
        try (PreparedStatement statement = UncachedPlan.prepare(connection, insert)) {
            EnqueueUniqueJobs.setKeys(statement, jobs);
            statement.setObject(3, keyed.stream().map(KeyedJob::after).toArray(Long[]::new));
            NewJob.setAll(statement, 4, jobs);
            try (ResultSet rows = statement.executeQuery()) {
                return Ids.read(rows, jobs.size());
            }
        }
    }

    /**
     * Gives jobs that have not started another payload and other options. They keep their ids and the time of their enqueue; a job
     * that stays ready keeps its place in the queue, unless its queue or priority changes. Answers in the order of the ids. Each id once, in a transaction
     * that has locked the jobs in their rooms.
     */
    public List<Replaced> replace(Connection connection, List<Replacement> asked) throws SQLException {
        List<NewJob> jobs = asked.stream().map(Replacement::job).toList();
        long[] ids = Columns.longs(asked, Replacement::id);
        try (PreparedStatement statement = UncachedPlan.prepare(connection, replace)) {
            statement.setObject(1, ids);
            statement.setObject(
                    2,
                    Columns.millis(asked, one -> one.onConflict() == OnConflict.POSTPONE ? one.longestWait() : null));
            int next = NewJob.setAll(statement, 3, jobs);
            statement.setObject(next, ids);
            statement.setObject(next + 1, ids);
            Row<Replaced> row = each -> {
                long id = each.getLong(1);
                if (each.wasNull()) {
                    throw new SQLException("a job that was locked to be replaced is in no room");
                }
                return new Replaced(id, each.getBoolean(2), each.getBoolean(3));
            };
            return row.all(statement);
        }
    }

    /** What names a row of the table unique_key. */
    public record TypedKey(String type, String key) {}
}
