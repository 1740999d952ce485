package dev.rowlock.queue.internal.store.enqueue;

import dev.rowlock.queue.internal.store.Columns;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/** New jobs as parameters. Each method takes the index of its first one, and each has a list of parameters for the text of its statement. */
public final class NewJobColumns {

    /** What plain jobs have beside a due time and a payload. */
    static final String PLAIN = "rank, max_retries, timeout_millis, queue, type, headers";

    /** The same of {@link #EACH}. */
    static final String PLAIN_VALUES = PLAIN + "::json";

    /** Parameters that {@link #setShared} sets. */
    static final String SHARED = "?::smallint, ?::smallint, ?::bigint, ?, ?, ?::json";

    /** Parameters that {@link #setEach} sets. */
    static final String EACH = "?::smallint[], ?::smallint[], ?::bigint[], ?::text[], ?::text[], ?::text[]";

    /** All that jobs have, but for unique keys. */
    public static final String ALL = "due_at, delay_millis, " + PLAIN + ", payload, large_payload, job_key";

    /** Parameters that {@link #setAll} sets. */
    public static final String ALL_OF_EACH =
            "?::timestamptz[], ?::bigint[], " + EACH + ", ?::text[], ?::text[], ?::text[]";

    private NewJobColumns() {}

    /** Sets what all jobs share. */
    static void setShared(PreparedStatement statement, int from, NewJob job) throws SQLException {
        statement.setInt(from, job.rank());
        statement.setObject(from + 1, job.maxRetries(), Types.INTEGER);
        statement.setObject(
                from + 2, job.timeout() == null ? null : job.timeout().toMillis(), Types.BIGINT);
        statement.setString(from + 3, job.queue());
        statement.setString(from + 4, job.type());
        statement.setString(from + 5, job.headers());
    }

    /** Sets the same as arrays. */
    static void setEach(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        statement.setObject(from, Columns.shorts(jobs, NewJob::rank));
        statement.setObject(from + 1, Columns.nullableShorts(jobs, NewJob::maxRetries));
        statement.setObject(from + 2, Columns.millis(jobs, NewJob::timeout));
        statement.setObject(from + 3, Columns.texts(jobs, NewJob::queue));
        statement.setObject(from + 4, Columns.texts(jobs, NewJob::type));
        statement.setObject(from + 5, Columns.texts(jobs, NewJob::headers));
    }

    /** Sets two arrays, one of which says when a job is due: due_at, delay_millis. */
    static void setDue(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        statement.setObject(from, Columns.instants(jobs, NewJob::dueAt));
        statement.setObject(from + 1, Columns.millis(jobs, NewJob::dueAfter));
    }

    /** Sets all as arrays. Returns the index of the next parameter. */
    public static int setAll(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        setDue(statement, from, jobs);
        setEach(statement, from + 2, jobs);
        statement.setObject(from + 8, Columns.texts(jobs, NewJob::smallPayload));
        statement.setObject(from + 9, Columns.texts(jobs, NewJob::largePayload));
        statement.setObject(from + 10, Columns.texts(jobs, NewJob::key));
        return from + 11;
    }
}
