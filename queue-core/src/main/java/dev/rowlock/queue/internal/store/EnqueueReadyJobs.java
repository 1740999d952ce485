package dev.rowlock.queue.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Inserts jobs that are runnable at once. */
public final class EnqueueReadyJobs {

    // Rows come out of unnest, and ids out of the sequence, in the order of the arrays.
    private static final String SQL = """
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, max_retries, timeout_millis, queue, type, payload, headers)
            SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(),
                   rank, max_retries, timeout_millis, queue, type, payload::json, headers::json
              FROM unnest(?::smallint[], ?::smallint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[])
                   AS j (rank, max_retries, timeout_millis, queue, type, payload, headers)
            RETURNING id
            """;

    private final String sql;

    public EnqueueReadyJobs(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Inserts the jobs on the caller's connection and returns their ids in the same order. */
    public long[] run(Connection connection, List<NewJob> jobs) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, Columns.shorts(jobs, NewJob::rank));
            statement.setObject(2, Columns.nullableShorts(jobs, NewJob::maxRetries));
            statement.setObject(3, Columns.millis(jobs, NewJob::timeout));
            statement.setObject(4, Columns.texts(jobs, NewJob::queue));
            statement.setObject(5, Columns.texts(jobs, NewJob::type));
            statement.setObject(6, Columns.texts(jobs, NewJob::payload));
            statement.setObject(7, Columns.texts(jobs, NewJob::headers));
            try (ResultSet rows = statement.executeQuery()) {
                return Ids.read(rows, jobs.size());
            }
        }
    }
}
