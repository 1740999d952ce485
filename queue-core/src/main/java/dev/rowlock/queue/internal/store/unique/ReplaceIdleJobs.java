package dev.rowlock.queue.internal.store.unique;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.internal.store.enqueue.NewJob;
import dev.rowlock.queue.job.UniqueKey.OnConflict;
import dev.rowlock.queue.job.WaitReason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives jobs that have not started another payload and other options. They keep their ids and the time of their enqueue; a job
 * that stays ready keeps its place in the queue, unless its queue or priority changes.
 */
public final class ReplaceIdleJobs {

    private static final String SQL = Move.created(
                    "renewed", "id, " + NewJob.COLUMNS, """
            WITH asked AS MATERIALIZED (
                SELECT *
                  FROM unnest(?::bigint[], ?::bigint[], %s) AS a (id, longest_millis, %s)
            ), from_waiting AS (
                -- A job that a policy holds is due: it counts as ready, since when it was. Its due time is when it goes on without the policy.
                DELETE FROM rowlock.waiting w WHERE id = ANY (?::bigint[])
                RETURNING id, due_at,
                          CASE WHEN reason = 'policy'
                               THEN coalesce((SELECT h.ready_at FROM rowlock.held_job h WHERE h.job_id = w.id AND h.due_at = w.due_at),
                                             statement_timestamp()) END AS ready_at, enqueued_at, rank, crashes, queue, errors
            ), from_ready AS (
                DELETE FROM rowlock.ready WHERE id = ANY (?::bigint[])
                RETURNING id, NULL::timestamptz, ready_at, enqueued_at, rank, crashes, queue, errors
            ), old AS MATERIALIZED (
                -- A job that runs once more after another one is due when its row of once_more says.
                SELECT o.*, f.job_id IS NOT NULL AS follows,
                       CASE WHEN f.job_id IS NULL THEN o.due_at ELSE f.due_at END AS old_due_at
                  FROM (TABLE from_waiting UNION ALL TABLE from_ready) AS o
                  LEFT JOIN rowlock.once_more f ON f.job_id = o.id
            ), wished AS MATERIALIZED (
                SELECT a.*, o.follows, o.ready_at, o.enqueued_at, o.crashes, o.errors, o.old_due_at,
                       o.rank = a.rank AND o.queue = a.queue AS same_line, a.longest_millis IS NOT NULL AS postpones,
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
            )""".formatted(NewJob.PARAMETERS, NewJob.COLUMNS))
            .with("enqueued_at = enqueued_at", "crashes = crashes", "errors = errors")
            .to(
                    Room.WAITING,
                    "due_at = CASE WHEN follows THEN '%s' ELSE new_due_at END".formatted(ReleaseFollowers.NEVER),
                    "reason = CASE WHEN follows THEN '%s' ELSE '%s' END"
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

    private final String sql;

    public ReplaceIdleJobs(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Answers in the order of the ids. Each id once, in a transaction that has locked the jobs in their rooms. */
    public List<Replaced> run(Connection connection, List<Replacement> asked) throws SQLException {
        List<NewJob> jobs = asked.stream().map(Replacement::job).toList();
        long[] ids = Columns.longs(asked, Replacement::id);
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setObject(1, ids);
            statement.setObject(
                    2,
                    Columns.millis(asked, one -> one.onConflict() == OnConflict.POSTPONE ? one.longestWait() : null));
            int next = NewJob.setAll(statement, 3, jobs);
            statement.setObject(next, ids);
            statement.setObject(next + 1, ids);
            List<Replaced> replaced = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    long id = rows.getLong(1);
                    if (rows.wasNull()) {
                        throw new SQLException("a job that was locked to be replaced is in no room");
                    }
                    replaced.add(new Replaced(id, rows.getBoolean(2), rows.getBoolean(3)));
                }
            }
            return replaced;
        }
    }
}
