package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Moves jobs of a queue whose policy does not decide from waiting back to the places in ready that they had. */
public final class LetJobsGo {

    // A row that somebody has locked keeps its note, and comes with the next call.
    private static final String SQL = IndexPlan.PREFIX + """
            WITH next AS MATERIALIZED (
                SELECT h.job_id, h.due_at, h.ready_at FROM rowlock.held_job h
                 WHERE h.queue = ? AND EXISTS (SELECT FROM rowlock.policy p WHERE p.queue = ? AND NOT %2$s)
                 ORDER BY h.queue, h.rank, h.ready_at, h.job_id
                 LIMIT ?
            ), freed AS (
                DELETE FROM rowlock.waiting
                 WHERE ctid = ANY (ARRAY(
                       SELECT w.ctid FROM next n JOIN rowlock.waiting w ON w.id = n.job_id AND w.due_at = n.due_at
                        WHERE w.reason = 'policy'
                          FOR UPDATE OF w SKIP LOCKED))
                RETURNING *
            ), unheld AS (
                -- By what this snapshot knows of them: a job that was held anew meanwhile has another note.
                DELETE FROM rowlock.held_job h
                 USING (SELECT id, due_at FROM freed
                        UNION ALL
                        SELECT n.job_id, n.due_at FROM next n
                         WHERE NOT EXISTS (SELECT FROM rowlock.waiting w
                                            WHERE w.id = n.job_id AND w.due_at = n.due_at AND w.reason = 'policy')) AS o
                 WHERE h.job_id = o.id AND h.due_at = o.due_at
            ), into_ready AS (
                INSERT INTO rowlock.ready (ready_at, %1$s)
                SELECT (SELECT n.ready_at FROM next n WHERE n.job_id = freed.id), %1$s FROM freed
                RETURNING rank, job_key
            )
            SELECT (SELECT count(*) FROM next), count(*), min(rank), count(job_key) FROM into_ready
            """.formatted(PolicySql.COLUMNS, PolicySql.DECIDES);

    /**
     * What one call did.
     *
     * @param seen how many jobs it has looked at
     * @param jobs how many of them it has moved
     * @param rank of the most urgent one
     * @param keys whether some of them have keys
     */
    public record Gone(int seen, int jobs, int rank, boolean keys) {}

    private final Database database;
    private final String sql;

    public LetJobsGo(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    public Gone run(String queue, int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, queue);
                statement.setString(2, queue);
                statement.setInt(3, limit);
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return new Gone(row.getInt(1), row.getInt(2), row.getInt(3), row.getLong(4) > 0);
                }
            }
        });
    }
}
