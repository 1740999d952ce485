package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Ids;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.List;

/** Moves jobs of a queue whose policy does not decide from waiting back to the places in ready that they had. */
public final class LetJobsGo {

    // A row that somebody has locked keeps its note, and comes with the next call.
    private static final String SQL = IndexPlan.PREFIX
            + Move.from(Room.WAITING, "freed", """
            WITH next AS MATERIALIZED (
                SELECT h.job_id, h.due_at, h.ready_at FROM rowlock.held_job h
                 WHERE h.queue = ? AND EXISTS (SELECT FROM rowlock.policy p WHERE p.queue = ? AND NOT %1$s)
                   AND %2$s
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
            )""".formatted(PolicySql.DECIDES, "%s"))
                    .to(Room.READY, "ready_at = (SELECT n.ready_at FROM next n WHERE n.job_id = freed.id)")
                    .returning("rank, job_key")
                    .answering(
                            "SELECT (SELECT count(*) FROM next), count(*), min(rank), count(job_key) FROM into_ready");

    private static final String OTHERS = "h.job_id <> ALL (?::bigint[])";
    private static final String NAMED = "h.job_id = ANY (?::bigint[])";

    private static final String NAMES = IndexPlan.PREFIX + """
            SELECT h.job_id FROM rowlock.held_job h
             WHERE h.queue = ? AND %s
             ORDER BY h.queue, h.rank, h.ready_at, h.job_id
             LIMIT ?
            """.formatted(OTHERS);

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
    private final String others;
    private final String named;
    private final String names;

    public LetJobsGo(Database database) {
        this.database = database;
        this.others = database.sql(SQL.formatted(OTHERS));
        this.named = database.sql(SQL.formatted(NAMED));
        this.names = database.sql(NAMES);
    }

    public Gone run(String queue, int limit) {
        return run(queue, limit, List.of());
    }

    /** @param without these jobs stay where they are */
    public Gone run(String queue, int limit, List<Long> without) {
        return run(others, queue, without, limit);
    }

    /** Moves only these of them. */
    public Gone named(String queue, List<Long> ids) {
        return run(named, queue, ids, ids.size());
    }

    private Gone run(String sql, String queue, List<Long> ids, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, queue);
                statement.setString(2, queue);
                statement.setObject(3, Columns.longs(ids, Long::longValue));
                statement.setInt(4, limit);
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return new Gone(row.getInt(1), row.getInt(2), row.getInt(3), row.getLong(4) > 0);
                }
            }
        });
    }

    /** The ids of the jobs that {@link #run} would look at now. */
    public List<Long> names(String queue, int limit, List<Long> without) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, names)) {
                statement.setString(1, queue);
                statement.setObject(2, Columns.longs(without, Long::longValue));
                statement.setInt(3, limit);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }
}
