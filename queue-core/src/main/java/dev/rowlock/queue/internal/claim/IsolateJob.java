package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Tokens;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** Notes that a job on its last life is started now: if its node dies, this one job of the node's suspects is to blame. */
public final class IsolateJob {

    private static final String SQL = """
            UPDATE rowlock.running r SET isolated = (r.token = ?)
              FROM unnest(?::bigint[], ?::bigint[]) AS o (id, token)
             WHERE r.id = o.id AND r.token = o.token
            RETURNING r.token
            """;

    private final Database database;
    private final String sql;

    public IsolateJob(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /**
     * Returns whether the claim was still held.
     *
     * @param cleared claims of this node that were to blame until now, and are not any more
     */
    public boolean run(Claim claim, List<Claim> cleared) {
        List<Claim> claims = new ArrayList<>(cleared);
        claims.add(claim);
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, claim.token());
                statement.setObject(2, Columns.longs(claims, Claim::jobId));
                statement.setObject(3, Columns.longs(claims, Claim::token));
                try (ResultSet rows = statement.executeQuery()) {
                    return Tokens.read(rows, claims.size()).contains(claim.token());
                }
            }
        });
    }
}
