package dev.rowlock.queue.internal.store.unique;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.internal.store.enqueue.NewJob;
import dev.rowlock.queue.job.WaitReason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Inserts jobs and gives them their keys. Some of them wait for the end of the job that held the key before. */
public final class InsertKeyedJobs {

    private static final String SQL = Move.created(
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

    /**
     * A job to insert.
     *
     * @param after the id of the job whose end it waits for; null for none
     */
    public record KeyedJob(NewJob job, @Nullable Long after) {}

    private final String sql;

    public InsertKeyedJobs(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Returns their ids in the same order. In a transaction that has locked their keys. A job without a key is inserted too. */
    public long[] run(Connection connection, List<KeyedJob> keyed) throws SQLException {
        List<NewJob> jobs = keyed.stream().map(KeyedJob::job).toList();
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setObject(
                    1,
                    Columns.texts(
                            jobs,
                            job -> job.uniqueKey() == null
                                    ? null
                                    : job.uniqueKey().value()));
            statement.setObject(
                    2,
                    Columns.millis(
                            jobs,
                            job -> job.uniqueKey() == null
                                            || job.uniqueKey().atLeast().isZero()
                                    ? null
                                    : job.uniqueKey().atLeast()));
            statement.setObject(3, keyed.stream().map(KeyedJob::after).toArray(Long[]::new));
            NewJob.setAll(statement, 4, jobs);
            try (ResultSet rows = statement.executeQuery()) {
                return Ids.read(rows, jobs.size());
            }
        }
    }
}
