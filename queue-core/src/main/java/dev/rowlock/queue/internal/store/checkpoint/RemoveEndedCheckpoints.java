package dev.rowlock.queue.internal.store.checkpoint;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.TableWalk;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the checkpoints of jobs that have ended for good, a stretch of the table at a time, in the order of ids. Those of dead jobs
 * stay: they may be redriven.
 *
 * <p>A snapshot that has the checkpoint has the job in exactly one room, unless the job is gone; and a job that is done or gone never
 * comes back.
 */
public final class RemoveEndedCheckpoints {

    // One look by primary key into each room, one after the other until the job is found.
    private static final String SQL = """
            WITH looked AS MATERIALIZED (
                SELECT job_id,
                       coalesce((SELECT r.id FROM rowlock.running r WHERE r.id = c.job_id),
                                (SELECT r.id FROM rowlock.ready r WHERE r.id = c.job_id),
                                (SELECT w.id FROM rowlock.waiting w WHERE w.id = c.job_id),
                                (SELECT d.id FROM rowlock.dead d WHERE d.id = c.job_id)) IS NULL AS ended
                  FROM rowlock.checkpoint c
                 WHERE job_id > ?
                 ORDER BY job_id LIMIT ?
            ), removed AS (
                DELETE FROM rowlock.checkpoint WHERE job_id = ANY (ARRAY(SELECT job_id FROM looked WHERE ended))
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM looked), (SELECT max(job_id) FROM looked), (SELECT count(*) FROM removed)
            """;

    /** Before all checkpoints. */
    public static final long FRONT = Long.MIN_VALUE;

    /**
     * What became of a stretch.
     *
     * @param end the last id that was looked at; null if there are no more behind it
     */
    public record Stretch(int removed, @Nullable Long end) {}

    private final TableWalk walk;

    public RemoveEndedCheckpoints(Database database) {
        this.walk = new TableWalk(database, SQL);
    }

    /** Looks at so many checkpoints behind the id, and removes those whose jobs have ended for good. */
    public Stretch run(long behind, int limit) {
        return walk.run(behind, limit, (row, end) -> new Stretch(row.getInt(3), end));
    }
}
