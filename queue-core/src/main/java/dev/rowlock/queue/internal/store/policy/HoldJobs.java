package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;

/** Moves ready jobs of a queue that its policy has not chosen to waiting. */
public final class HoldJobs {

    // One look by primary key for each job: without the offset the planner may join all jobs with all marks.
    private static final String UNMARKED =
            "NOT EXISTS (SELECT FROM rowlock.admitted_job a WHERE a.queue = r.queue AND a.job_id = r.id OFFSET 0)";

    private static final String SQL = IndexPlan.PREFIX
            + PolicySql.held(
                    Move.from(Room.READY, "taken", "WITH " + PolicySql.LIVE + """
            , taken AS (
                DELETE FROM rowlock.ready
                 WHERE ctid = ANY (ARRAY(
                       SELECT r.ctid FROM rowlock.ready r
                        WHERE r.queue = ? AND r.job_key IS NULL AND (SELECT it FROM live)
                          AND %1$s
                        ORDER BY r.queue, r.rank, r.ready_at, r.id
                        LIMIT ?
                          FOR UPDATE OF r SKIP LOCKED)
                    || ARRAY(
                       SELECT r.ctid FROM rowlock.ready r
                        WHERE r.queue = ? AND r.job_key IS NOT NULL AND (SELECT it FROM live)
                          AND %1$s
                        ORDER BY r.queue, r.job_key, r.rank, r.id
                        LIMIT ?
                          FOR UPDATE OF r SKIP LOCKED))
                RETURNING *
            )""".formatted(UNMARKED)),
                    "SELECT count(*) FROM taken");

    private final Database database;
    private final String sql;

    public HoldJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Returns how many it has moved: up to {@code limit} without keys, and as many with keys. None unless the policy decides. */
    public int run(String queue, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, queue);
                statement.setString(2, queue);
                statement.setInt(3, limit);
                statement.setString(4, queue);
                statement.setInt(5, limit);
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return row.getInt(1);
                }
            }
        });
    }
}
