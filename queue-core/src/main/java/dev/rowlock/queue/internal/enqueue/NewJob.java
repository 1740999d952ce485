package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.UniqueKey;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job on its way into the tables.
 *
 * @param rank minus its priority
 * @param due null: runnable at once
 * @param payload JSON
 * @param headers a JSON object of strings; null for none
 * @param key which of the queue's jobs it belongs with; null for none
 * @param uniqueKey null for none: only {@link EnqueueUniqueJobs} heeds it
 */
public record NewJob(
        String queue,
        String type,
        int rank,
        @Nullable Due due,
        @Nullable Integer maxRetries,
        @Nullable Duration timeout,
        String payload,
        @Nullable String headers,
        @Nullable String key,
        @Nullable UniqueKey uniqueKey) {

    /** A job without a key. */
    public NewJob(
            String queue,
            String type,
            int rank,
            @Nullable Due due,
            @Nullable Integer maxRetries,
            @Nullable Duration timeout,
            String payload,
            @Nullable String headers,
            @Nullable UniqueKey uniqueKey) {
        this(queue, type, rank, due, maxRetries, timeout, payload, headers, null, uniqueKey);
    }

    /** The same job with other headers and another due time. */
    public NewJob with(@Nullable String otherHeaders, @Nullable Due otherDue) {
        return new NewJob(queue, type, rank, otherDue, maxRetries, timeout, payload, otherHeaders, key, uniqueKey);
    }

    /**
     * A JSON text of more characters lies in a table of its own. Rows of up to about 2 KB are never compressed and cost
     * little to move, from 8 KB on the own table was measured to be cheaper; between the two nobody has measured.
     */
    public static final int LARGE = 4_096;

    /** Whether the payload lies in a table of its own, where it stays when the job moves. */
    public boolean large() {
        return payload.length() > LARGE;
    }

    /** What lies in the job's own row; null for a large payload. */
    @Nullable
    public String smallPayload() {
        return large() ? null : payload;
    }

    /** What lies in the table of large payloads; null for a small one. */
    @Nullable
    public String largePayload() {
        return large() ? payload : null;
    }

    /** Whether the statements for plain jobs do not do: it has a large payload, or a key. */
    public boolean special() {
        return key != null || large();
    }

    /** When to run it, if it is due at a certain time. */
    @Nullable
    Instant dueAt() {
        return due == null ? null : due.at();
    }

    /** How long to wait, if it is due after a delay. */
    @Nullable
    Duration dueAfter() {
        return due == null ? null : due.after();
    }

    /** Whether the two differ in their payloads at most. */
    boolean alike(NewJob other) {
        return rank == other.rank
                && queue.equals(other.queue)
                && type.equals(other.type)
                && Objects.equals(due, other.due)
                && Objects.equals(maxRetries, other.maxRetries)
                && Objects.equals(timeout, other.timeout)
                && Objects.equals(headers, other.headers)
                && Objects.equals(key, other.key);
    }

    // ---- A job's columns, and the parameters that bring them. The order of each list is that of the others.

    /** What a plain job has beside a due time and a payload. */
    static final String PLAIN_COLUMNS = "rank, max_retries, timeout_millis, queue, type, headers";

    /** The same, where {@link #setPlain} has set them. */
    static final String PLAIN_VALUES = PLAIN_COLUMNS + "::json";

    /** Parameters that {@link #setPlain} sets. */
    static final String PLAIN_PARAMETERS = "?::smallint[], ?::smallint[], ?::bigint[], ?::text[], ?::text[], ?::text[]";

    /** Parameters that {@link #setShared} sets. */
    static final String SHARED_PARAMETERS = "?::smallint, ?::smallint, ?::bigint, ?, ?, ?::json";

    /** All but a unique key. */
    public static final String COLUMNS = "due_at, delay_millis, " + PLAIN_COLUMNS + ", payload, large_payload, job_key";

    /** Parameters that {@link #setAll} sets. */
    public static final String PARAMETERS =
            "?::timestamptz[], ?::bigint[], " + PLAIN_PARAMETERS + ", ?::text[], ?::text[], ?::text[]";

    /** Sets, from this index on, what jobs share that differ in their payloads at most. Returns the index of the next parameter, as each of these. */
    int setShared(PreparedStatement statement, int from) throws SQLException {
        statement.setInt(from, rank);
        statement.setObject(from + 1, maxRetries, Types.INTEGER);
        statement.setObject(from + 2, timeout == null ? null : timeout.toMillis(), Types.BIGINT);
        statement.setString(from + 3, queue);
        statement.setString(from + 4, type);
        statement.setString(from + 5, headers);
        return from + 6;
    }

    /** Sets the same of each, as arrays. */
    static int setPlain(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        statement.setObject(from, Columns.shorts(jobs, NewJob::rank));
        statement.setObject(from + 1, Columns.nullableShorts(jobs, NewJob::maxRetries));
        statement.setObject(from + 2, Columns.millis(jobs, NewJob::timeout));
        statement.setObject(from + 3, Columns.texts(jobs, NewJob::queue));
        statement.setObject(from + 4, Columns.texts(jobs, NewJob::type));
        statement.setObject(from + 5, Columns.texts(jobs, NewJob::headers));
        return from + 6;
    }

    /** Sets when each is due: two arrays, of which one says it. */
    static int setDue(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        statement.setObject(from, Columns.instants(jobs, NewJob::dueAt));
        statement.setObject(from + 1, Columns.millis(jobs, NewJob::dueAfter));
        return from + 2;
    }

    /** Sets all of each, as arrays. */
    public static int setAll(PreparedStatement statement, int from, List<NewJob> jobs) throws SQLException {
        int next = setPlain(statement, setDue(statement, from, jobs), jobs);
        statement.setObject(next, Columns.texts(jobs, NewJob::smallPayload));
        statement.setObject(next + 1, Columns.texts(jobs, NewJob::largePayload));
        statement.setObject(next + 2, Columns.texts(jobs, NewJob::key));
        return next + 3;
    }
}
