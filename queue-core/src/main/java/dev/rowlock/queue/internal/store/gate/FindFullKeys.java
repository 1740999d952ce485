package dev.rowlock.queue.internal.store.gate;

import dev.rowlock.queue.gate.FullKey;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.util.List;

/** Finds keys that have as many running jobs as their limit allows, and more that are ready. Joins the caller's transaction. */
public final class FindFullKeys {

    // From the running jobs: there are some thousand at most, whatever the number of keys that have jobs ready.
    private static final String SQL = """
            WITH rule AS MATERIALIZED (
                SELECT CASE WHEN in_order IS NOT NULL THEN 1 ELSE max_running_per_key END AS most
                  FROM rowlock.queue_limit WHERE queue = ?
            ), busy AS MATERIALIZED (
                SELECT r.gate, count(*) AS jobs
                  FROM rowlock.running r
                 WHERE r.queue = ? AND r.gate > '' AND (SELECT most FROM rule) IS NOT NULL
                 GROUP BY r.gate
                HAVING count(*) >= (SELECT most FROM rule)
            ), waits AS (
                SELECT b.gate, b.jobs,
                       (SELECT count(*) FROM (SELECT FROM rowlock.ready r WHERE r.queue = ? AND r.job_key = b.gate LIMIT 1000) AS ready_jobs) AS ready
                  FROM busy b
            )
            SELECT gate, jobs, (SELECT most FROM rule), ready
              FROM waits
             WHERE ready > 0
             ORDER BY ready DESC, gate
             LIMIT ?
            """;

    private final Database database;

    public FindFullKeys(Database database) {
        this.database = database;
    }

    public List<FullKey> run(String queue, int limit) {
        Row<FullKey> read = row -> new FullKey(queue, row.getString(1), row.getLong(2), row.getInt(3), row.getLong(4));
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, database.sql(SQL))) {
                statement.setString(1, queue);
                statement.setString(2, queue);
                statement.setString(3, queue);
                statement.setInt(4, limit);
                return read.all(statement);
            }
        });
    }
}
