package dev.rowlock.queue.internal.store.enqueue;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.TimeLimit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Inserts jobs of which some have large payloads or keys, runnable at once or later. Their payloads go to a table of their own
 * in the same statement, so that no job is ever without. Where neither is so, {@link EnqueueReadyJobs} and
 * {@link EnqueueWaitingJobs} are cheaper.
 */
public final class EnqueueLargeJobs {

    // Rows come out of unnest, and ids out of the sequence, in the order of the arrays.
    private static final String SQL = """
            WITH created AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.* FROM unnest(%s) AS j (%s)
            """.formatted(NewJobColumns.ALL_OF_EACH, NewJobColumns.ALL)
            + IntoRooms.ASIDE
            + IntoRooms.READY_OR_WAITING
            + "SELECT id FROM created ORDER BY id";

    // Every single job, and most batches of large ones: no payload is copied on its way, which for a single one of 1 MB
    // saves a third of the time.
    private static final String SQL_ALIKE = """
            WITH aside AS (
                INSERT INTO rowlock.payload (job_id, bytes, payload)
                SELECT nextval('rowlock.job_id'), pg_column_size(payload) - 4, payload -- as in IntoRooms
                  FROM (SELECT unnest(?::json[]) AS payload) AS given
                RETURNING job_id
            )
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, %s)
            SELECT job_id, statement_timestamp(), statement_timestamp(), %s FROM aside
            RETURNING id
            """.formatted(NewJobColumns.PLAIN, NewJobColumns.SHARED);

    private final String sql;
    private final String sqlAlike;

    public EnqueueLargeJobs(Schema schema) {
        this.sql = schema.sql(SQL);
        this.sqlAlike = schema.sql(SQL_ALIKE);
    }

    /** Inserts the jobs on the caller's connection and returns their ids in the same order. */
    public long[] run(Connection connection, List<NewJob> jobs) throws SQLException {
        NewJob first = jobs.get(0);
        boolean alike = first.due() == null
                && first.key() == null
                && jobs.stream().allMatch(job -> job.large() && first.alike(job));
        try (PreparedStatement statement =
                connection.prepareStatement(TimeLimit.before(connection, alike ? sqlAlike : sql))) {
            if (alike) {
                statement.setObject(1, Columns.texts(jobs, NewJob::payload));
                NewJobColumns.setShared(statement, 2, first);
            } else {
                NewJobColumns.setAll(statement, 1, jobs);
            }
            try (ResultSet rows = TimeLimit.query(statement)) {
                return Ids.read(rows, jobs.size());
            }
        }
    }
}
