package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Moves the deadlines of the jobs of a chunk whose listener is called once more. */
public final class ExtendDeadlines {

    private static final String SQL = IndexPlan.OUTCOMES_PREFIX + """
            WITH extended AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[]) AS o (id, token)
            )
            UPDATE rowlock.running r SET deadline = statement_timestamp() + ? * interval '1 ms'
              FROM extended o
             WHERE r.id = ANY (ARRAY(SELECT id FROM extended)) AND r.id = o.id AND r.token = o.token
            RETURNING r.token, r.deadline
            """;

    private final Database database;
    private final String sql;

    public ExtendDeadlines(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the new deadlines by token, on the database's clock; none for claims that were lost. */
    public Map<Long, Instant> run(List<Claim> claims, Duration fromNow) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(claims, Claim::jobId));
                statement.setObject(2, Columns.longs(claims, Claim::token));
                statement.setLong(3, fromNow.toMillis());
                Map<Long, Instant> deadlines = new HashMap<>();
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        deadlines.put(
                                rows.getLong(1),
                                rows.getObject(2, OffsetDateTime.class).toInstant());
                    }
                }
                return deadlines;
            }
        });
    }
}
