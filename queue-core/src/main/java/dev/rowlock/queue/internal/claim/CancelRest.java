package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.BegunJobs;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

/**
 * Cancels ready jobs that were enqueued before another one of their key failed for good, in a queue whose order wants that. Those that have begun, or
 * that somebody has redriven, go on.
 */
public final class CancelRest {

    private static final int LIMIT = 1_000;

    private static final String SQL = Move.of(
                    "rest r JOIN failed f ON f.job_key = r.job_key", """
                    WITH failed AS MATERIALIZED (
                        SELECT DISTINCT ON (d.job_key) d.job_key, d.id, d.last_job
                          FROM rowlock.dead d
                         WHERE d.queue = ? AND d.job_key = ANY (?::text[])
                           AND (SELECT l.in_order FROM rowlock.queue_limit l WHERE l.queue = d.queue) = 'cancel-rest' -- it may have changed since the claim
                         ORDER BY d.job_key, d.last_job DESC
                    ), rest AS (
                        DELETE FROM rowlock.ready
                         WHERE ctid = ANY (ARRAY(
                               SELECT r.ctid FROM rowlock.ready r JOIN failed f ON f.job_key = r.job_key AND r.id <= f.last_job
                                WHERE r.queue = ? AND %s
                                LIMIT ?
                                  FOR UPDATE OF r SKIP LOCKED))
                        RETURNING *
                    )""".formatted(BegunJobs.untouched("r")))
            .to(Room.DONE, "id = r.id", "job_key = r.job_key", "state = 'cancelled'", """
                    errors = rowlock.with_error(errors, attempt, NULL, jsonb_build_object(
                           'type', 'cancelled', 'message', 'job ' || f.id || ' of its key has failed'))""")
            .returning("headers")
            .answering("SELECT count(*), coalesce(bool_or(headers -> '%s' IS NOT NULL), false) FROM into_done"
                    .formatted(Headers.WORKFLOW));

    private final Database database;
    private final EnsureDonePartitions partitions;
    private final String sql;

    public CancelRest(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.sql = database.sql(SQL);
    }

    /**
     * What was done.
     *
     * @param jobs so many were cancelled; there may be more if those were 1,000
     * @param ofWorkflows whether some of them belong to workflows
     */
    public record Cancelled(int jobs, boolean ofWorkflows) {}

    public Cancelled run(String queue, List<String> keys) {
        return partitions.around(() -> database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, queue);
                statement.setObject(2, keys.toArray(String[]::new));
                statement.setString(3, queue);
                statement.setInt(4, LIMIT);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return new Cancelled(row.getInt(1), row.getBoolean(2));
                }
            }
        }));
    }
}
