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

/** Inserts jobs that become runnable later. */
public final class EnqueueWaitingJobs {

    private static final String SQL =
            """
            INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, %1$s, payload)
            SELECT nextval('rowlock.job_id'), coalesce(due_at, statement_timestamp() + delay_millis * interval '1 ms'),
                   statement_timestamp(), 'scheduled', %2$s, payload::json
              FROM unnest(?::timestamptz[], ?::bigint[], %3$s, ?::text[]) AS j (due_at, delay_millis, %1$s, payload)
            RETURNING id
            """.formatted(NewJobColumns.PLAIN, NewJobColumns.PLAIN_VALUES, NewJobColumns.EACH);

    private final String sql;

    public EnqueueWaitingJobs(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Inserts the jobs, each of which has a due time, and returns their ids in the same order. */
    public long[] run(Connection connection, List<NewJob> jobs) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TimeLimit.before(connection, sql))) {
            NewJobColumns.setDue(statement, 1, jobs);
            NewJobColumns.setEach(statement, 3, jobs);
            statement.setObject(9, Columns.texts(jobs, NewJob::payload));
            try (ResultSet rows = TimeLimit.query(statement)) {
                return Ids.read(rows, jobs.size());
            }
        }
    }
}
