package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tells which claims ended in done, for whoever did not get the answer when they did. */
public final class FindDoneClaims {

    private static final String SQL = """
            SELECT d.token, d.state FROM rowlock.done d, unnest(?::bigint[], ?::bigint[]) AS o (id, token)
             WHERE d.id = o.id AND d.token = o.token
            """;

    private final Database database;
    private final String sql;

    public FindDoneClaims(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns completed or cancelled by token; nothing for other claims, nor where done jobs are not kept. */
    public Map<Long, JobState> run(List<Claim> claims) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(claims, Claim::jobId));
                statement.setObject(2, Columns.longs(claims, Claim::token));
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
