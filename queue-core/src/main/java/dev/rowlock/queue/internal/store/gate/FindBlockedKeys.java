package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.internal.store.BegunJobs;
import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.JobState;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Objects;

/** Finds keys in order whose jobs wait for one that has begun and not ended. Joins the caller's transaction. */
public final class FindBlockedKeys {

    private static final String SQL = """
            WITH rule AS MATERIALIZED (
                SELECT in_order FROM rowlock.queue_limit WHERE queue = ?
            ), holder AS MATERIALIZED (
                (SELECT w.job_key, w.id, 'waiting' AS state, w.due_at AS at
                   FROM rowlock.waiting w
                  WHERE w.queue = ? AND w.job_key IS NOT NULL
                    AND %s
                    AND (SELECT in_order FROM rule) IS NOT NULL
                  ORDER BY w.queue, w.job_key LIMIT ?)
                UNION ALL
                (SELECT d.job_key, d.id, d.state, d.died_at
                   FROM rowlock.dead d
                  WHERE d.queue = ? AND d.job_key IS NOT NULL AND d.last_job > 0 AND (SELECT in_order FROM rule) = 'hold'
                  ORDER BY d.queue, d.job_key LIMIT ?)
            )
            SELECT job_key, id, state, at,
                   (SELECT count(*) FROM (SELECT FROM rowlock.ready r WHERE r.queue = ? AND r.job_key = h.job_key LIMIT 1000) AS ready_jobs)
              FROM holder h
             ORDER BY job_key, id
             LIMIT ?
            """.formatted(BegunJobs.waiting("w"));

    private final Database database;

    public FindBlockedKeys(Database database) {
        this.database = database;
    }

    public List<BlockedKey> run(String queue, int limit) {
        Row<BlockedKey> read = row -> new BlockedKey(
                queue,
                row.getString(1),
                row.getLong(2),
                JobState.of(row.getString(3)),
                Objects.requireNonNull(Columns.instant(row, 4)),
                row.getLong(5));
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, database.sql(SQL))) {
                statement.setString(1, queue);
                statement.setString(2, queue);
                statement.setInt(3, limit);
                statement.setString(4, queue);
                statement.setInt(5, limit);
                statement.setString(6, queue);
                statement.setInt(7, limit);
                return read.all(statement);
            }
        });
    }
}
