package dev.rowlock.queue.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/**
 * Inserts jobs of which some have large payloads, runnable at once or later. Their payloads go to a table of their own
 * in the same statement, so that no job is ever without. Who has none of them takes {@link EnqueueReadyJobs} or
 * {@link EnqueueWaitingJobs}, which are cheaper.
 */
public final class EnqueueLargeJobs {

    // Rows come out of unnest, and ids out of the sequence, in the order of the arrays.
    private static final String SQL = """
            WITH job AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.*
                  FROM unnest(?::timestamptz[], ?::bigint[], ?::smallint[], ?::smallint[], ?::bigint[],
                              ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
                       AS j (due_at, delay_millis, rank, max_retries, timeout_millis,
                             queue, type, headers, payload, large_payload)
            ), aside AS (
                INSERT INTO rowlock.payload (job_id, payload)
                SELECT id, large_payload::json FROM job WHERE large_payload IS NOT NULL
            ), into_ready AS (
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, max_retries, timeout_millis,
                                           queue, type, payload, headers)
                SELECT id, statement_timestamp(), statement_timestamp(), rank, max_retries, timeout_millis,
                       queue, type, payload::json, headers::json
                  FROM job
                 WHERE due_at IS NULL AND delay_millis IS NULL
                 ORDER BY queue COLLATE "C", rank, id -- as in EnqueueReadyJobs
            ), into_waiting AS (
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, max_retries, timeout_millis, reason,
                                             queue, type, payload, headers)
                SELECT id, coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms'),
                       statement_timestamp(), rank, max_retries, timeout_millis, 'scheduled',
                       queue, type, payload::json, headers::json
                  FROM job
                 WHERE due_at IS NOT NULL OR delay_millis IS NOT NULL
            )
            SELECT id FROM job ORDER BY id
            """;

    // Every single job, and most batches of large ones: no payload is copied on its way, which for a single one of 1 MB
    // saves a third of the time.
    private static final String SQL_ALIKE = """
            WITH aside AS (
                INSERT INTO rowlock.payload (job_id, payload)
                SELECT nextval('rowlock.job_id'), unnest(?::json[])
                RETURNING job_id
            )
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, max_retries, timeout_millis, queue, type, headers)
            SELECT job_id, statement_timestamp(), statement_timestamp(),
                   ?::smallint, ?::smallint, ?::bigint, ?, ?, ?::json
              FROM aside
            RETURNING id
            """;

    private final String sql;
    private final String sqlAlike;

    public EnqueueLargeJobs(Schema schema) {
        this.sql = schema.sql(SQL);
        this.sqlAlike = schema.sql(SQL_ALIKE);
    }

    /** Inserts the jobs on the caller's connection and returns their ids in the same order. */
    public long[] run(Connection connection, List<NewJob> jobs) throws SQLException {
        NewJob first = jobs.get(0);
        boolean alike = first.due() == null && jobs.stream().allMatch(job -> job.large() && first.alike(job));
        try (PreparedStatement statement = connection.prepareStatement(alike ? sqlAlike : sql)) {
            if (alike) {
                setAlike(statement, first, jobs);
            } else {
                setEach(statement, jobs);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return Ids.read(rows, jobs.size());
            }
        }
    }

    private static void setAlike(PreparedStatement statement, NewJob shared, List<NewJob> jobs) throws SQLException {
        statement.setObject(1, Columns.texts(jobs, NewJob::payload));
        statement.setInt(2, shared.rank());
        statement.setObject(3, shared.maxRetries(), Types.INTEGER);
        statement.setObject(
                4, shared.timeout() == null ? null : shared.timeout().toMillis(), Types.BIGINT);
        statement.setString(5, shared.queue());
        statement.setString(6, shared.type());
        statement.setString(7, shared.headers());
    }

    private static void setEach(PreparedStatement statement, List<NewJob> jobs) throws SQLException {
        statement.setObject(1, Columns.instants(jobs, NewJob::dueAt));
        statement.setObject(2, Columns.millis(jobs, NewJob::dueAfter));
        statement.setObject(3, Columns.shorts(jobs, NewJob::rank));
        statement.setObject(4, Columns.nullableShorts(jobs, NewJob::maxRetries));
        statement.setObject(5, Columns.millis(jobs, NewJob::timeout));
        statement.setObject(6, Columns.texts(jobs, NewJob::queue));
        statement.setObject(7, Columns.texts(jobs, NewJob::type));
        statement.setObject(8, Columns.texts(jobs, NewJob::headers));
        statement.setObject(9, Columns.texts(jobs, NewJob::smallPayload));
        statement.setObject(10, Columns.texts(jobs, NewJob::largePayload));
    }
}
