package dev.rowlock.queue.internal.store.enqueue;

import dev.rowlock.queue.internal.store.Columns;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/** New jobs as parameters, all but their payloads. Each method takes the index of its first one. */
public final class NewJobColumns {

    private NewJobColumns() {}

    /** Six values that all jobs share: rank, max_retries, timeout_millis, queue, type, headers. */
    public static void setShared(PreparedStatement statement, int from, NewJob job) throws SQLException {
        statement.setInt(from, job.rank());
        statement.setObject(from + 1, job.maxRetries(), Types.INTEGER);
        statement.setObject(
                from + 2, job.timeout() == null ? null : job.timeout().toMillis(), Types.BIGINT);
        statement.setString(from + 3, job.queue());
        statement.setString(from + 4, job.type());
        statement.setString(from + 5, job.headers());
    }

    /** The same as six arrays. */
    public static void setEach(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        statement.setObject(from, Columns.shorts(jobs, NewJob::rank));
        statement.setObject(from + 1, Columns.nullableShorts(jobs, NewJob::maxRetries));
        statement.setObject(from + 2, Columns.millis(jobs, NewJob::timeout));
        statement.setObject(from + 3, Columns.texts(jobs, NewJob::queue));
        statement.setObject(from + 4, Columns.texts(jobs, NewJob::type));
        statement.setObject(from + 5, Columns.texts(jobs, NewJob::headers));
    }

    /** Two arrays of which one names when a job is due: due_at, delay_millis. */
    public static void setDue(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        statement.setObject(from, Columns.instants(jobs, NewJob::dueAt));
        statement.setObject(from + 1, Columns.millis(jobs, NewJob::dueAfter));
    }
}
