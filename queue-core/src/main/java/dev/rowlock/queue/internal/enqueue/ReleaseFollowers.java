package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.job.WaitReason;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes jobs due that wait for the end of another one, once it has ended; a stretch of the table at a time, in the order of ids. One
 * statement makes a job due and deletes the row that held it back, so that a crash leaves both done or neither.
 *
 * <p>A job that waited and was cancelled is left to {@link #giveKeysBack}. One that an operator lets run meanwhile keeps its key.
 */
final class ReleaseFollowers {

    /** A due time that does not come: the last one that a job may have. */
    static final String NEVER = "2255-01-01T00:00:00Z";

    private static final String STRETCH = "f.job_id > :behind AND f.job_id <> ALL (:without::bigint[])";

    private static final String NAMED = "f.job_id = ANY (:ids::bigint[])";

    private static final String LOOKED = """
            WITH seen AS MATERIALIZED (
                SELECT f.job_id,
                       -- One look by primary key for each room, as in EnqueueUniqueJobs.
                       (SELECT w.id FROM rowlock.waiting w WHERE w.id = f.after_id) IS NOT NULL
                       OR (SELECT r.id FROM rowlock.ready r WHERE r.id = f.after_id) IS NOT NULL
                       OR (SELECT r.id FROM rowlock.running r WHERE r.id = f.after_id) IS NOT NULL AS held,
                       (SELECT w.id FROM rowlock.waiting w WHERE w.id = f.job_id) IS NOT NULL AS waits,
                       (SELECT r.id FROM rowlock.ready r WHERE r.id = f.job_id) IS NOT NULL
                       OR (SELECT r.id FROM rowlock.running r WHERE r.id = f.job_id) IS NOT NULL AS moved_on
                  FROM rowlock.once_more f
                 WHERE %1$s
                 ORDER BY f.job_id LIMIT :limit
            ), looked AS MATERIALIZED (
                SELECT job_id, waits, held AND NOT waits AND NOT moved_on AS cancelled, waits AND held AS stays FROM seen
            )
            """;

    private static final String SQL = LOOKED + """
            , open AS MATERIALIZED (
                SELECT f.*, l.waits
                  FROM looked l JOIN rowlock.once_more f ON f.job_id = l.job_id
                 WHERE NOT l.stays AND NOT l.cancelled
                 ORDER BY f.job_id
                   FOR UPDATE OF f SKIP LOCKED
            ), free AS MATERIALIZED (
                -- Somebody may be replacing or cancelling it.
                SELECT w.id, o.due_at
                  FROM open o JOIN rowlock.waiting w ON w.id = o.job_id
                 ORDER BY w.id
                   FOR UPDATE OF w SKIP LOCKED
            ), due AS (
                UPDATE rowlock.waiting w
                   SET reason = '%2$s',
                       due_at = greatest(coalesce(f.due_at, statement_timestamp()), statement_timestamp())
                  FROM free f
                 WHERE w.id = f.id
            ), removed AS (
                DELETE FROM rowlock.once_more
                 WHERE job_id IN (SELECT id FROM free UNION ALL SELECT job_id FROM open WHERE NOT waits)
                RETURNING job_id
            )
            SELECT count(*), max(job_id), (SELECT count(*) FROM free), (SELECT count(*) FROM removed),
                   array_agg(job_id ORDER BY job_id) FILTER (WHERE cancelled)
              FROM looked
            """;

    private static final String NAMES =
            LOOKED + "SELECT job_id FROM looked WHERE NOT stays AND NOT cancelled ORDER BY job_id";

    /** Before all rows. */
    public static final long FRONT = Long.MIN_VALUE;

    // Somebody may just be inserting the row of a key whose own was removed: that is worth a short wait only.
    private static final String GIVE_BACK = "SELECT set_config('lock_timeout', '100ms', true);\n" + """
            WITH cancelled AS MATERIALIZED (
                SELECT job_id, after_id, type, key FROM rowlock.once_more
                 WHERE job_id = ANY (:ids::bigint[])
                 ORDER BY job_id
                   FOR UPDATE SKIP LOCKED
            ), seen AS MATERIALIZED (
                SELECT c.*, (SELECT k.job_id FROM rowlock.unique_key k WHERE k.type = c.type AND k.key = c.key) AS holder_id
                  FROM cancelled c
            ), own AS MATERIALIZED (
                SELECT s.job_id, s.after_id, k.type, k.key
                  FROM seen s
                 CROSS JOIN LATERAL (SELECT k.type, k.key FROM rowlock.unique_key k
                                      WHERE k.type = s.type AND k.key = s.key AND k.job_id = s.job_id
                                        FOR UPDATE SKIP LOCKED) AS k
                 WHERE s.holder_id = s.job_id
            ), given_back AS (
                -- Their rows are there, and locked. As a join, an UPDATE could scan the table.
                INSERT INTO rowlock.unique_key (type, key, job_id)
                SELECT type, key, after_id FROM own
                ON CONFLICT (type, key) DO UPDATE SET job_id = excluded.job_id
            ), anew AS (
                INSERT INTO rowlock.unique_key (type, key, job_id)
                SELECT type, key, max(after_id) FROM seen WHERE holder_id IS NULL
                 GROUP BY type, key
                 ORDER BY type COLLATE "C", key COLLATE "C" -- as in EnqueueUniqueJobs
                ON CONFLICT (type, key) DO NOTHING
            ), removed AS (
                DELETE FROM rowlock.once_more
                 WHERE job_id = ANY (ARRAY(SELECT job_id FROM own
                                            UNION ALL
                                           SELECT job_id FROM seen WHERE holder_id IS DISTINCT FROM job_id))
                RETURNING 1
            )
            SELECT count(*) FROM removed
            """;

    /**
     * What became of a stretch.
     *
     * @param released how many jobs are due now, or will be by themselves
     * @param left how many rows stay
     * @param cancelled those of them whose jobs were cancelled while the other one lives: their keys are to be given back
     * @param end the last id that was looked at; null if there are no more behind it
     */
    public record Stretch(
            int released,
            int left,
            List<Long> cancelled,
            @Nullable Long end) {}

    private final Database database;
    /** Makes jobs due that run once more after another one, if that has ended: of a stretch of these. */
    private final String stretch;

    /** Makes jobs due that run once more after another one, if that has ended: by the ids of these. */
    private final String named;

    private final String names;

    public ReleaseFollowers(Database database) {
        String reason = WaitReason.SCHEDULED.label();
        this.database = database;
        this.stretch = database.sql(SQL.formatted(STRETCH, reason));
        this.named = database.sql(SQL.formatted(NAMED, reason));
        this.names = database.sql(NAMES.formatted(STRETCH));
    }

    /**
     * Looks at so many rows behind the id.
     *
     * @param without the ids of jobs that are left where they are
     */
    public Stretch run(long behind, int limit, List<Long> without) {
        return database.alone(connection ->
                behind(connection, stretch, behind, limit, without).only(row -> read(row, limit)));
    }

    /** Looks at the rows of these jobs. */
    public Stretch named(List<Long> ids) {
        return database.alone(connection -> ColdStatement.on(connection, named)
                .set("ids", Columns.longs(ids, Long::longValue))
                .set("limit", ids.size())
                .only(row -> read(row, ids.size())));
    }

    /** The ids of the jobs that {@link #run} would change now, if nobody had locked any. */
    public List<Long> names(long behind, int limit, List<Long> without) {
        return database.alone(
                connection -> behind(connection, names, behind, limit, without).list(row -> row.getLong(1)));
    }

    private static ColdStatement behind(Connection connection, String sql, long behind, int limit, List<Long> without) {
        return ColdStatement.on(connection, sql)
                .set("behind", behind)
                .set("without", Columns.longs(without, Long::longValue))
                .set("limit", limit);
    }

    /**
     * Gives the keys of jobs that waited for the end of another one, and were cancelled, back to that one, unless somebody else has
     * taken them. A key that a transaction has locked is left for the next time. Returns for how many of these jobs nothing is left to do. They must be in no
     * room any more where they may run.
     */
    public int giveKeysBack(List<Long> ids) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(GIVE_BACK))
                .set("ids", Columns.longs(ids, Long::longValue))
                .only(row -> row.getInt(1)));
    }

    private static Stretch read(ResultSet row, int limit) throws SQLException {
        int looked = row.getInt(1);
        return new Stretch(
                row.getInt(3),
                looked - row.getInt(4),
                Columns.longList(row, 5),
                looked < limit ? null : row.getLong(2));
    }
}
