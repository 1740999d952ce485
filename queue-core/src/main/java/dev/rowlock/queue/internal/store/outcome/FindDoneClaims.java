package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells which claims ended in done by an outcome of their own, for whoever did not get the answer when they did. A job that rescue took and
 * cancelled lies there too, under the same token: it has one crash more than its claim had.
 */
public final class FindDoneClaims {

    private static final String SQL = """
            SELECT d.token, d.state FROM rowlock.done_jobs(?) AS d, unnest(?::bigint[], ?::smallint[]) AS o (token, crashes)
             WHERE d.token = o.token AND d.crashes = o.crashes
            """;

    private final Database database;
    private final String sql;

    public FindDoneClaims(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns completed or cancelled by token; nothing for other jobs, nor where done jobs are not kept. */
    public Map<Long, JobState> run(List<ClaimedJob> jobs) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(jobs, ClaimedJob::id));
                statement.setObject(2, Columns.longs(jobs, job -> job.claim().token()));
                statement.setObject(3, Columns.shorts(jobs, ClaimedJob::crashes));
                Map<Long, JobState> states = new HashMap<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        states.put(rows.getLong(1), JobState.of(rows.getString(2)));
                    }
                }
                return states;
            }
        });
    }
}
