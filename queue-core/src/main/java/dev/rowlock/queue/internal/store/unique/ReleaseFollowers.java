package dev.rowlock.queue.internal.store.unique;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.job.WaitReason;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes jobs due that wait for the end of another one, once it has ended; a stretch of the table at a time, in the order of ids. One
 * statement makes a job due and deletes the row that held it back, so that a crash leaves both done or neither.
 *
 * <p>A job that waited and was cancelled gives its key back to the one that it waited for.
 */
public final class ReleaseFollowers {

    /** A due time that does not come: the last one that a job may have. */
    static final String NEVER = "2255-01-01T00:00:00Z";

    private static final String SQL = """
            WITH looked AS MATERIALIZED (
                SELECT f.job_id,
                       -- One look by primary key for each room, as in EnqueueUniqueJobs.
                       (SELECT w.id FROM rowlock.waiting w WHERE w.id = f.after_id) IS NOT NULL
                       OR (SELECT r.id FROM rowlock.ready r WHERE r.id = f.after_id) IS NOT NULL
                       OR (SELECT r.id FROM rowlock.running r WHERE r.id = f.after_id) IS NOT NULL AS held,
                       (SELECT w.id FROM rowlock.waiting w WHERE w.id = f.job_id) IS NULL AS moved_on,
                       (SELECT w.id FROM rowlock.waiting w WHERE w.id = f.job_id) IS NULL
                       AND (SELECT r.id FROM rowlock.ready r WHERE r.id = f.job_id) IS NULL
                       AND (SELECT r.id FROM rowlock.running r WHERE r.id = f.job_id) IS NULL AS gone
                  FROM rowlock.once_more f
                 WHERE f.job_id > ?
                 ORDER BY f.job_id LIMIT ?
            ), open AS MATERIALIZED (
                SELECT f.*, l.moved_on, l.gone, l.held
                  FROM looked l JOIN rowlock.once_more f ON f.job_id = l.job_id
                 WHERE l.moved_on OR NOT l.held
                 ORDER BY f.job_id
                   FOR UPDATE OF f SKIP LOCKED
            ), free AS MATERIALIZED (
                -- Somebody may be replacing or cancelling it.
                SELECT w.id, o.due_at, o.since
                  FROM open o JOIN rowlock.waiting w ON w.id = o.job_id
                 ORDER BY w.id
                   FOR UPDATE OF w SKIP LOCKED
            ), due AS (
                UPDATE rowlock.waiting w
                   SET reason = '%s',
                       since = f.since,
                       -- A delay that began in the future begins anew: the clock was set back.
                       due_at = CASE WHEN f.since > statement_timestamp() THEN statement_timestamp() + (f.due_at - f.since)
                                     ELSE greatest(coalesce(f.due_at, statement_timestamp()), statement_timestamp()) END
                  FROM free f
                 WHERE w.id = f.id
            ), given_back AS (
                INSERT INTO rowlock.unique_key AS k (type, key, job_id)
                SELECT type, key, after_id FROM open WHERE gone AND held
                 ORDER BY type COLLATE "C", key COLLATE "C"
                ON CONFLICT (type, key) DO UPDATE SET job_id = excluded.job_id
                 WHERE k.job_id IN (SELECT job_id FROM open WHERE gone)
            ), removed AS (
                DELETE FROM rowlock.once_more
                 WHERE job_id IN (SELECT id FROM free UNION ALL SELECT job_id FROM open WHERE moved_on)
                RETURNING job_id
            )
            SELECT count(*), max(job_id), (SELECT count(*) FROM free), (SELECT count(*) FROM removed) FROM looked
            """.formatted(WaitReason.SCHEDULED.label());

    /** Before all rows. */
    public static final long FRONT = Long.MIN_VALUE;

    /**
     * What became of a stretch.
     *
     * @param released how many jobs are due now, or will be by themselves
     * @param left how many rows stay
     * @param end the last id that was looked at; null if there are no more behind it
     */
    public record Stretch(int released, int left, @Nullable Long end) {}

    private final Database database;
    private final String sql;

    public ReleaseFollowers(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Looks at so many rows behind the id. */
    public Stretch run(long behind, int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, behind);
                statement.setInt(2, limit);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    int looked = row.getInt(1);
                    return new Stretch(row.getInt(3), looked - row.getInt(4), looked < limit ? null : row.getLong(2));
                }
            }
        });
    }
}
