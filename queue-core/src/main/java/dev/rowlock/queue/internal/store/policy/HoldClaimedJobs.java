package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Takes the marks of jobs that were claimed; those without one go to waiting instead, where the policy may choose them. */
public final class HoldClaimedJobs {

    private static final String SQL = IndexPlan.OUTCOMES_PREFIX
            + PolicySql.held(
                    Move.from(Room.RUNNING, "taken", "WITH " + PolicySql.LIVE + """
            , given AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[]) AS g (id, token)
            ), admitted AS (
                -- Joined by hash: an array would be read through for each mark of the queue.
                DELETE FROM rowlock.admitted_job a USING given g WHERE a.queue = ? AND a.job_id = g.id RETURNING a.job_id
            ), taken AS (
                DELETE FROM rowlock.running r
                 USING given g
                 WHERE r.id = ANY (ARRAY(SELECT id FROM given EXCEPT SELECT job_id FROM admitted))
                   AND g.id = r.id AND g.token = r.token
                   AND (SELECT it FROM live) AND NOT r.cancel_requested
                RETURNING r.*
            )""")
                            .with("attempt = attempt - 1"),
                    "SELECT token FROM taken");

    private final Database database;
    private final String sql;

    public HoldClaimedJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns the tokens of those claims that are over. None unless the policy decides. */
    public Set<Long> run(String queue, List<Claim> claims) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setString(1, queue);
                statement.setObject(2, Columns.longs(claims, Claim::jobId));
                statement.setObject(3, Columns.longs(claims, Claim::token));
                statement.setString(4, queue);
                Set<Long> tokens = new HashSet<>();
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        tokens.add(rows.getLong(1));
                    }
                }
                return tokens;
            }
        });
    }
}
