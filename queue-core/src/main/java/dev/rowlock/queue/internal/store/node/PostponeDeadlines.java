package dev.rowlock.queue.internal.store.node;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;

/** Moves the deadlines of jobs that their own node knows to be in time. */
public final class PostponeDeadlines {

    // A row that somebody has locked is about to change, or comes again.
    private static final String SQL = IndexPlan.PREFIX + """
            UPDATE rowlock.running SET deadline = statement_timestamp() + ? * interval '1 ms'
             WHERE ctid = ANY (ARRAY(
                   SELECT r.ctid FROM rowlock.running r
                     JOIN unnest(?::bigint[], ?::bigint[]) AS h (id, token) ON r.id = h.id AND r.token = h.token
                    WHERE r.id = ANY (?::bigint[])
                    ORDER BY r.id
                      FOR UPDATE OF r SKIP LOCKED))
            """;

    private final Database database;
    private final String sql;

    public PostponeDeadlines(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** To this long from now. Leaves out claims that were lost, and rows that somebody has locked. */
    public void run(List<Claim> held, Duration fromNow) {
        if (held.isEmpty()) {
            return;
        }
        database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setLong(1, fromNow.toMillis());
                statement.setObject(2, Columns.longs(held, Claim::jobId));
                statement.setObject(3, Columns.longs(held, Claim::token));
                statement.setObject(4, Columns.longs(held, Claim::jobId));
                statement.execute();
                return held;
            }
        });
    }
}
