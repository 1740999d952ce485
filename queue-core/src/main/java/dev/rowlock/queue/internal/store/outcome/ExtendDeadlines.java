package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Tokens;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Moves the deadlines of the jobs of a chunk whose listener is called once more. */
public final class ExtendDeadlines {

    private static final String SQL = IndexPlan.OUTCOMES_PREFIX + """
            WITH extended AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[]) AS o (id, token)
            )
            UPDATE rowlock.running r SET deadline = statement_timestamp() + ? * interval '1 ms'
              FROM extended o
             WHERE r.id = ANY (ARRAY(SELECT id FROM extended)) AND r.id = o.id AND r.token = o.token
            RETURNING r.token
            """;

    private final Database database;
    private final String sql;

    public ExtendDeadlines(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the tokens that were still held; the others' claims were lost. */
    public Set<Long> run(List<Claim> claims, Duration fromNow) {
        return database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(claims, Claim::jobId));
                statement.setObject(2, Columns.longs(claims, Claim::token));
                statement.setLong(3, fromNow.toMillis());
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Tokens.read(rows, claims.size());
                }
            }
        });
    }
}
