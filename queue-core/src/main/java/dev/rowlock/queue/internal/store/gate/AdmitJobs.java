package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;

/** Notes what a policy has chosen, and that it still decides. The jobs stay where they are. */
public final class AdmitJobs {

    // Another node may have taken over meanwhile: then nothing changes. Jobs that somebody has cancelled or claimed
    // since
    // are left out. The row of the policy is written every few seconds only: each claim reads it.
    private static final String SQL = IndexPlan.PREFIX + """
            WITH own AS MATERIALIZED (
                SELECT queue, policy_until FROM rowlock.queue_limit WHERE queue = ? AND policy_by = ?
            ), now AS MATERIALIZED (
                SELECT clock_timestamp() AS at
            ), renewed AS (
                UPDATE rowlock.queue_limit l
                   SET policy_until = now.at + ? * interval '1 ms', policy_asked_at = now.at
                  FROM own, now
                 WHERE l.queue = own.queue
                   AND coalesce(own.policy_until NOT BETWEEN now.at + ? * interval '1 ms' AND now.at + ? * interval '1 ms', true)
            ), given AS MATERIALIZED (
                SELECT id, nextval('rowlock.claim_token') AS number FROM unnest(?::bigint[]) AS g (id)
            ), locked AS MATERIALIZED (
                SELECT id FROM rowlock.ready
                 WHERE id = ANY (?::bigint[]) AND queue = (SELECT queue FROM own) AND admitted IS NULL
                 ORDER BY id
                   FOR UPDATE SKIP LOCKED
            ), admitted AS (
                UPDATE rowlock.ready r SET admitted = given.number
                  FROM locked, given
                 WHERE r.id = locked.id AND given.id = locked.id
                RETURNING r.id
            )
            SELECT count(*), EXISTS (SELECT FROM own) FROM admitted
            """;

    private static final String TAKE_BACK = IndexPlan.PREFIX + """
            WITH back AS (
                UPDATE rowlock.ready SET admitted = NULL
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.ready
                        WHERE queue = ? AND admitted IS NOT NULL
                        ORDER BY queue, admitted
                        LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING id
            )
            SELECT count(*) FROM back
            """;

    private final Database database;
    private final String sql;
    private final String takeBack;

    public AdmitJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.takeBack = database.sql(TAKE_BACK);
    }

    /**
     * Returns how many were there to be chosen; -1 if another node asks the policy now.
     *
     * @param jobs in the order in which they run
     * @param hold so long the jobs of the queue wait for the next decision
     * @param renewed this is not written again as long as so much of it is left
     */
    public int run(String queue, long nodeId, List<Long> jobs, Duration hold, Duration renewed) {
        Long[] ids = jobs.toArray(Long[]::new);
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setString(1, queue);
                statement.setLong(2, nodeId);
                statement.setLong(3, hold.toMillis());
                statement.setLong(4, renewed.toMillis());
                statement.setLong(5, hold.toMillis());
                statement.setObject(6, ids);
                statement.setObject(7, ids);
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return row.getBoolean(2) ? row.getInt(1) : -1;
                }
            }
        });
    }

    /** What was chosen is chosen no more. Returns how many jobs were. */
    public int takeBack(String queue, int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, takeBack)) {
                statement.setString(1, queue);
                statement.setInt(2, limit);
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return row.getInt(1);
                }
            }
        });
    }
}
