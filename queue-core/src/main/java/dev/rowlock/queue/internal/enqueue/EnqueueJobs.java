package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.db.TimeLimit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;

/**
 * Inserts jobs without unique keys: most by a plain INSERT; those that have large payloads or keys, or of which only some are runnable at once, by a
 * statement that brings each into its room. It joins the caller's connection, and answers with ids in the order of the jobs.
 */
public final class EnqueueJobs {

    // Most batches: only the payloads differ. A fifth cheaper than seven arrays.
    private static final String READY_ALIKE = """
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, %s, payload)
            SELECT nextval('rowlock.job_id'), statement_timestamp(), statement_timestamp(), %s, unnest(?::json[])
            RETURNING id
            """.formatted(NewJob.PLAIN_COLUMNS, NewJob.SHARED_PARAMETERS);

    // A function that returns a set takes one more id from the sequence after its last row. That does no harm to a
    // batch, but each single job would use up two.
    private static final String READY_ONE = READY_ALIKE.replace("unnest(?::json[])", "?::json");

    // Where the server's queue of notifications is full, because somebody listens and sleeps, one more fails the
    // commit, and the job with it.
    private static final String READY_ONE_AND_NOTIFY = READY_ONE.stripTrailing()
            + ", CASE WHEN pg_notification_queue_usage() < %s THEN pg_notify(?, ?) END".formatted(SendWakeup.FULL);

    // Rows come out of unnest, and ids out of the sequence, in the order of the arrays, here as below. Those that are
    // claimed one after another lie side by side on disk: with 21 priorities mixed, each claimed job would cost a page
    // of its own.
    private static final String READY =
            """
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, %1$s, payload)
            SELECT id, statement_timestamp(), statement_timestamp(), %2$s, payload::json
              FROM (SELECT nextval('rowlock.job_id') AS id, j.* FROM unnest(%3$s, ?::text[]) AS j (%1$s, payload)) AS numbered
             ORDER BY queue COLLATE "C", rank, id
            RETURNING id
            """.formatted(NewJob.PLAIN_COLUMNS, NewJob.PLAIN_VALUES, NewJob.PLAIN_PARAMETERS);

    private static final String WAITING =
            """
            INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, %1$s, payload)
            SELECT nextval('rowlock.job_id'), coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms'),
                   statement_timestamp(), 'scheduled', %2$s, payload::json
              FROM unnest(?::timestamptz[], ?::bigint[], %3$s, ?::text[]) AS j (due_at, delay_millis, %1$s, payload)
            RETURNING id
            """.formatted(NewJob.PLAIN_COLUMNS, NewJob.PLAIN_VALUES, NewJob.PLAIN_PARAMETERS);

    // Every single large job, and most batches of them: no payload is copied on its way, which for a single one of 1 MB
    // saves a third of the time.
    private static final String LARGE_ALIKE = """
            WITH aside AS (
                INSERT INTO rowlock.payload (job_id, bytes, payload)
                SELECT nextval('rowlock.job_id'), pg_column_size(payload) - 4, payload -- as in IntoRooms
                  FROM (SELECT unnest(?::json[]) AS payload) AS given
                RETURNING job_id
            )
            INSERT INTO rowlock.ready (id, ready_at, enqueued_at, %s)
            SELECT job_id, statement_timestamp(), statement_timestamp(), %s FROM aside
            RETURNING id
            """.formatted(NewJob.PLAIN_COLUMNS, NewJob.SHARED_PARAMETERS);

    // Large payloads go to a table of their own in the same statement, so that no job is ever without.
    private static final String ANY = """
            WITH created AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.* FROM unnest(%s) AS j (%s)
            """.formatted(NewJob.PARAMETERS, NewJob.COLUMNS)
            + IntoRooms.ASIDE
            + IntoRooms.READY_OR_WAITING
            + "SELECT id FROM created ORDER BY id";

    private final String channel;

    /** Enqueues runnable jobs that differ in nothing but their payloads. */
    private final String readyAlike;

    /** Enqueues one runnable job. */
    private final String readyOne;

    /** Enqueues one runnable job, and tells nodes with the commit. */
    private final String readyOneAndNotify;

    /** Enqueues runnable jobs. */
    private final String ready;

    /** Enqueues jobs that are due later. */
    private final String waiting;

    /** Enqueues runnable jobs with large payloads that differ in nothing else. */
    private final String largeAlike;

    /** Enqueues jobs of which some are due later, have keys or have large payloads. */
    private final String any;

    public EnqueueJobs(Schema schema) {
        this.channel = schema.channel();
        this.readyAlike = schema.sql(READY_ALIKE);
        this.readyOne = schema.sql(READY_ONE);
        this.readyOneAndNotify = schema.sql(READY_ONE_AND_NOTIFY);
        this.ready = schema.sql(READY);
        this.waiting = schema.sql(WAITING);
        this.largeAlike = schema.sql(LARGE_ALIKE);
        this.any = schema.sql(ANY);
    }

    /**
     * Inserts a plain job that is runnable at once, and notifies all nodes of this schema with the commit if there is room for that. Not for use
     * inside a business transaction: NOTIFY takes a global lock at commit, and forbids to prepare the transaction.
     */
    public long runAndNotify(Connection connection, NewJob job, String message) throws SQLException {
        return insert(connection, readyOneAndNotify, 1, statement -> {
            int next = job.setShared(statement, 1);
            statement.setString(next, job.payload());
            statement.setString(next + 1, channel);
            statement.setString(next + 2, message);
        })[0];
    }

    public long[] run(Connection connection, List<NewJob> jobs) throws SQLException {
        boolean plain = jobs.stream().noneMatch(NewJob::special);
        if (plain && jobs.stream().allMatch(job -> job.due() == null)) {
            return ready(connection, jobs);
        } else if (plain && jobs.stream().allMatch(job -> job.due() != null)) {
            return insert(connection, waiting, jobs.size(), statement -> {
                int next = NewJob.setPlain(statement, NewJob.setDue(statement, 1, jobs), jobs);
                statement.setObject(next, Columns.texts(jobs, NewJob::payload));
            });
        } else if (largeAlike(jobs)) {
            return insert(connection, largeAlike, jobs.size(), statement -> {
                statement.setObject(1, Columns.texts(jobs, NewJob::payload));
                jobs.get(0).setShared(statement, 2);
            });
        }
        return insert(connection, any, jobs.size(), statement -> NewJob.setAll(statement, 1, jobs));
    }

    private long[] ready(Connection connection, List<NewJob> jobs) throws SQLException {
        NewJob first = jobs.get(0);
        if (jobs.size() == 1) {
            return insert(
                    connection,
                    readyOne,
                    1,
                    statement -> statement.setString(first.setShared(statement, 1), first.payload()));
        }
        boolean alike = jobs.stream().allMatch(first::alike);
        long[] ids = insert(connection, alike ? readyAlike : ready, jobs.size(), statement -> {
            int next = alike ? first.setShared(statement, 1) : NewJob.setPlain(statement, 1, jobs);
            statement.setObject(next, Columns.texts(jobs, NewJob::payload));
        });
        Arrays.sort(ids);
        return ids;
    }

    private static boolean largeAlike(List<NewJob> jobs) {
        NewJob first = jobs.get(0);
        return first.due() == null
                && first.key() == null
                && jobs.stream().allMatch(job -> job.large() && first.alike(job));
    }

    @FunctionalInterface
    private interface Values {
        void set(PreparedStatement statement) throws SQLException;
    }

    private static long[] insert(Connection connection, String sql, int jobs, Values values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TimeLimit.before(connection, sql))) {
            values.set(statement);
            try (ResultSet rows = TimeLimit.query(statement)) {
                return Ids.read(rows, jobs);
            }
        }
    }
}
