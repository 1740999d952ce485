package dev.rowlock.queue.internal.store.enqueue;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.store.TimeLimit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/** Inserts jobs that are runnable at once. */
public final class EnqueueReadyJobs {

    // Rows come out of unnest, and ids out of the sequence, in the order of the arrays. Those that are claimed one
    // after
    // another lie side by side on disk: with 21 priorities mixed, each claimed job would cost a page of its own.
    private static final String SQL =
            """
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, %1$s, payload)
            SELECT id, statement_timestamp(), statement_timestamp(), %2$s, payload::json
              FROM (SELECT nextval('rowlock.job_id') AS id, j.* FROM unnest(%3$s, ?::text[]) AS j (%1$s, payload)) AS numbered
             ORDER BY queue COLLATE "C", rank, id
            RETURNING id
            """.formatted(NewJobColumns.PLAIN, NewJobColumns.PLAIN_VALUES, NewJobColumns.EACH);

    // Most batches: only the payloads differ. A fifth cheaper than seven arrays.
    private static final String SQL_ALIKE = """
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, %s, payload)
            SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), %s, unnest(?::json[])
            RETURNING id
            """.formatted(NewJobColumns.PLAIN, NewJobColumns.SHARED);

    // A function that returns a set takes one more id from the sequence after its last row. That does no harm to a
    // batch, but each single job would use up two.
    private static final String SQL_ONE = SQL_ALIKE.replace("unnest(?::json[])", "?::json");

    // Where the server's queue of notifications is full, because somebody listens and sleeps, one more fails the
    // commit, and the job with it.
    private static final String SQL_AND_NOTIFY = SQL_ONE.stripTrailing()
            + ", CASE WHEN pg_notification_queue_usage() < %s THEN pg_notify(?, ?) END".formatted(SendWakeup.FULL);

    private final String channel;
    private final String sql;
    private final String sqlAlike;
    private final String sqlOne;
    private final String sqlAndNotify;

    public EnqueueReadyJobs(Schema schema) {
        this.channel = schema.channel();
        this.sql = schema.sql(SQL);
        this.sqlAlike = schema.sql(SQL_ALIKE);
        this.sqlOne = schema.sql(SQL_ONE);
        this.sqlAndNotify = schema.sql(SQL_AND_NOTIFY);
    }

    /**
     * Inserts a job, notifies all nodes of this schema with the commit if there is room for that, and returns the job's id. Not for use inside a
     * business transaction: NOTIFY takes a global lock at commit, and forbids to prepare the transaction.
     */
    public long runAndNotify(Connection connection, NewJob job, String message) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TimeLimit.before(connection, sqlAndNotify))) {
            NewJobColumns.setShared(statement, 1, job);
            statement.setString(7, job.payload());
            statement.setString(8, channel);
            statement.setString(9, message);
            try (ResultSet rows = TimeLimit.query(statement)) {
                return Ids.read(rows, 1)[0];
            }
        }
    }

    /** Inserts the jobs on the caller's connection and returns their ids in the same order. */
    public long[] run(Connection connection, List<NewJob> jobs) throws SQLException {
        NewJob first = jobs.get(0);
        if (jobs.size() == 1) {
            return new long[] {runOne(connection, first)};
        }
        boolean alike = jobs.stream().allMatch(first::alike);
        try (PreparedStatement statement =
                connection.prepareStatement(TimeLimit.before(connection, alike ? sqlAlike : sql))) {
            if (alike) {
                NewJobColumns.setShared(statement, 1, first);
            } else {
                NewJobColumns.setEach(statement, 1, jobs);
            }
            statement.setObject(7, Columns.texts(jobs, NewJob::payload));
            try (ResultSet rows = TimeLimit.query(statement)) {
                long[] ids = Ids.read(rows, jobs.size());
                Arrays.sort(ids);
                return ids;
            }
        }
    }

    private long runOne(Connection connection, NewJob job) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TimeLimit.before(connection, sqlOne))) {
            NewJobColumns.setShared(statement, 1, job);
            statement.setString(7, job.payload());
            try (ResultSet rows = TimeLimit.query(statement)) {
                return Ids.read(rows, 1)[0];
            }
        }
    }
}
