package dev.rowlock.queue.internal.store.outcome;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

/**
 * Gives claimed jobs back to ready, to the place in the queue that they had. The attempt does not count. A job that
 * somebody asked to cancel ends as cancelled instead.
 */
public final class ReleaseJobs {

    private static final String SQL = IndexPlan.OUTCOMES_PREFIX + """
            WITH outcome AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[]) AS o (id, token)
            ), released AS (
                DELETE FROM rowlock.running r
                 USING outcome o
                 WHERE r.id = ANY (ARRAY(SELECT id FROM outcome)) AND r.id = o.id AND r.token = o.token
                RETURNING r.*
            ), cancelled AS (
                INSERT INTO rowlock.done (id, finished_at, enqueued_at, claimed_at, token, node_id, timeout_millis, rank, attempt,
                                          crashes, max_retries, state, queue, job_key, type, payload, headers, errors)
                SELECT id, statement_timestamp(), enqueued_at, claimed_at, token, node_id, timeout_millis, rank, attempt,
                       crashes, max_retries, 'cancelled', queue, job_key, type, payload, headers, errors
                  FROM released WHERE cancel_requested
            ), back AS (
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries,
                                           queue, job_key, type, payload, headers, errors)
                SELECT id, ready_at, enqueued_at, timeout_millis, rank, attempt - 1, crashes, max_retries,
                       queue, job_key, type, payload, headers, errors
                  FROM released WHERE NOT cancel_requested
            )
            SELECT token, cancel_requested, rank FROM released
            """;

    private final Database database;
    private final String sql;
    private final EnsureDonePartitions partitions;

    public ReleaseJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.partitions = new EnsureDonePartitions(database);
    }

    public MovedJobs run(List<Claim> claims) {
        return partitions.around(() -> database.atOnce(connection -> {
            database.numbering().check(connection);
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(claims, Claim::jobId));
                statement.setObject(2, Columns.longs(claims, Claim::token));
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return MovedJobs.read(rows, claims.size());
                }
            }
        }));
    }
}
