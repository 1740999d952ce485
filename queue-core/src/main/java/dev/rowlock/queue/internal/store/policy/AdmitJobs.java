package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;

/** Moves the jobs that a policy has chosen to ready, and says that it still decides. */
public final class AdmitJobs {

    /** After an answer, jobs wait for so long for the next one before they go on without it. */
    public static final Duration HOLD = Duration.ofSeconds(10);

    // Another node may have taken over meanwhile: then nothing changes. Jobs that somebody has moved since are left
    // out. Among equal priorities those chosen first run first.
    private static final String SQL = IndexPlan.PREFIX
            + Move.from(Room.WAITING, "freed", """
            WITH own AS (
                UPDATE rowlock.policy
                   SET decides_until = clock_timestamp() + ? * interval '1 ms', asked_at = clock_timestamp()
                 WHERE queue = ? AND node_id = ?
                RETURNING true AS it
            ), freed AS (
                DELETE FROM rowlock.waiting
                 WHERE ctid = ANY (ARRAY(
                       SELECT w.ctid FROM rowlock.waiting w
                         JOIN rowlock.held_job h ON h.job_id = w.id AND h.due_at = w.due_at
                        WHERE w.id = ANY (?::bigint[]) AND w.reason = 'policy' AND w.queue = ? AND (SELECT it FROM own)
                          FOR UPDATE OF w SKIP LOCKED))
                RETURNING *
            ), unheld AS (
                DELETE FROM rowlock.held_job WHERE job_id = ANY (ARRAY(SELECT id FROM freed))
            ), marked AS (
                INSERT INTO rowlock.admitted_job (queue, job_id, admitted_at)
                SELECT queue, id, clock_timestamp() FROM freed
                ON CONFLICT (queue, job_id) DO UPDATE SET admitted_at = excluded.admitted_at
            )""")
                    .to(
                            Room.READY,
                            "ready_at = statement_timestamp() + array_position(?::bigint[], id) * interval '1 us'")
                    .returning("rank, job_key")
                    .answering("SELECT EXISTS (SELECT FROM own), count(*), min(rank), count(job_key) FROM into_ready");

    // The jobs are held anew, behind the others: something else keeps them from running.
    private static final String TAKE_BACK = IndexPlan.PREFIX + """
            WITH back AS (
                DELETE FROM rowlock.admitted_job
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.admitted_job
                        WHERE queue = ? AND admitted_at NOT BETWEEN clock_timestamp() - ? * interval '1 ms' AND clock_timestamp()
                        LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING 1
            )
            SELECT count(*) FROM back
            """;

    /**
     * What one call did.
     *
     * @param own false: another node asks the policy now, and nothing was done
     * @param rank of the most urgent job
     * @param keys whether some of them have keys
     */
    public record Admitted(boolean own, int jobs, int rank, boolean keys) {

        /** The same, after another call. */
        public Admitted and(Admitted other) {
            int highest = jobs == 0 ? other.rank : other.jobs == 0 ? rank : Math.min(rank, other.rank);
            return new Admitted(own && other.own, jobs + other.jobs, highest, keys || other.keys);
        }
    }

    private final Database database;
    private final String sql;
    private final String takeBack;

    public AdmitJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
        this.takeBack = database.sql(TAKE_BACK);
    }

    /**
     * Moves them in this order.
     *
     * @param hold so long the jobs of the queue wait for the next decision
     */
    public Admitted run(String queue, long nodeId, List<Long> jobs, Duration hold) {
        Long[] ids = jobs.toArray(Long[]::new);
        return database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, hold.toMillis());
                statement.setString(2, queue);
                statement.setLong(3, nodeId);
                statement.setObject(4, ids);
                statement.setString(5, queue);
                statement.setObject(6, ids);
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return new Admitted(row.getBoolean(1), row.getInt(2), row.getInt(3), row.getLong(4) > 0);
                }
            }
        });
    }

    /** Takes the marks of jobs that nobody has claimed for so long. Returns of how many. */
    public int takeBack(String queue, Duration unclaimed, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, takeBack)) {
                statement.setString(1, queue);
                statement.setLong(2, unclaimed.toMillis());
                statement.setInt(3, limit);
                try (ResultSet row = IndexPlan.query(statement)) {
                    row.next();
                    return row.getInt(1);
                }
            }
        });
    }
}
