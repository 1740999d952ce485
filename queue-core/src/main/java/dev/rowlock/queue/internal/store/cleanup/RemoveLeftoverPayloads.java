package dev.rowlock.queue.internal.store.cleanup;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.TableWalk;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the large payloads whose jobs are in no room any more, a stretch of the table at a time, in the order of ids.
 *
 * <p>A payload comes with its job, in one statement, and a move is one statement too. So a snapshot that has the payload
 * has the job in exactly one room, unless the job is gone; and a job that is gone never comes back.
 */
public final class RemoveLeftoverPayloads {

    // Rooms are looked into one after the other until the job is found: one look by primary key for each, as in
    // EnqueueUniqueJobs, and those that are left together in done.
    private static final String SQL = """
            WITH looked AS MATERIALIZED (
                SELECT p.job_id,
                       coalesce((SELECT r.id FROM rowlock.running r WHERE r.id = p.job_id),
                                (SELECT r.id FROM rowlock.ready r WHERE r.id = p.job_id),
                                (SELECT w.id FROM rowlock.waiting w WHERE w.id = p.job_id),
                                (SELECT d.id FROM rowlock.dead d WHERE d.id = p.job_id)) IS NULL AS ended
                  FROM rowlock.payload p
                 WHERE p.job_id > ?
                 ORDER BY p.job_id LIMIT ?
            ), leftover AS MATERIALIZED (
                SELECT job_id FROM looked WHERE ended
                EXCEPT
                SELECT d.id FROM rowlock.done_jobs(ARRAY(SELECT job_id FROM looked WHERE ended)) AS d
            ), removed AS (
                DELETE FROM rowlock.payload WHERE job_id = ANY (ARRAY(SELECT job_id FROM leftover))
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM looked), (SELECT max(job_id) FROM looked), (SELECT count(*) FROM removed)
            """;

    /** Before all payloads. */
    public static final long FRONT = Long.MIN_VALUE;

    /**
     * What became of a stretch.
     *
     * @param end the last id that was looked at; null if there are no more behind it
     */
    public record Stretch(int removed, @Nullable Long end) {}

    private final TableWalk walk;

    public RemoveLeftoverPayloads(Database database) {
        this.walk = new TableWalk(database, SQL);
    }

    /** Looks at so many payloads behind the id, and removes those whose jobs are gone. */
    public Stretch run(long behind, int limit) {
        return walk.run(behind, limit, (row, end) -> new Stretch(row.getInt(3), end));
    }
}
