package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Tokens;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;
import java.util.Set;

/** Tells claims whose rows somebody else has locked from those that are free or gone. Waits for nobody. */
public final class FindLockedClaims {

    private static final String SQL = """
            WITH claimed AS MATERIALIZED (
                SELECT r.id, r.token FROM rowlock.running r, unnest(?::bigint[], ?::bigint[]) AS o (id, token)
                 WHERE r.id = o.id AND r.token = o.token
            ), free AS MATERIALIZED (
                SELECT r.token FROM rowlock.running r, claimed c WHERE r.id = c.id FOR UPDATE OF r SKIP LOCKED
            )
            SELECT token FROM claimed WHERE token NOT IN (SELECT token FROM free)
            """;

    private final Database database;
    private final String sql;

    public FindLockedClaims(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the tokens of those that are locked. */
    public Set<Long> run(List<Claim> claims) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(claims, Claim::jobId));
                statement.setObject(2, Columns.longs(claims, Claim::token));
                try (ResultSet rows = statement.executeQuery()) {
                    return Tokens.read(rows, claims.size());
                }
            }
        });
    }
}
