package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes back jobs whose node is not there any more: to ready, at the place in the queue that they had; to done if
 * somebody asked to cancel them; or to dead if they brought down too many nodes. A crash is counted apart and costs no
 * attempt.
 */
public final class RescueJobs {

    // Reads the whole of running: run it after a death, and now and then. It also finds what a node claimed in the very
    // moment in which it was declared dead. A job on its last life is a suspect; it is blamed for this crash only if it
    // had really been started, so that one poison job cannot drag its neighbours into quarantine.
    private static final String SQL = Move.from(Room.RUNNING, "judged", """
                    WITH orphan AS (
                        DELETE FROM rowlock.running
                         WHERE ctid = ANY (ARRAY(
                               SELECT r.ctid FROM rowlock.running r
                                WHERE NOT EXISTS (SELECT FROM rowlock.node n WHERE n.id = r.node_id)
                                  AND r.id = ANY (coalesce(:ids::bigint[], ARRAY[r.id]))
                                ORDER BY r.id LIMIT :limit
                                  FOR UPDATE OF r SKIP LOCKED))
                        RETURNING *, crashes + CASE WHEN crashes = 0 OR crashes < :max_crashes - 1 OR isolated THEN 1 ELSE 0 END
                                  AS crashes_now
                    ), judged AS (
                        SELECT *, CASE WHEN cancel_requested THEN 'cancelled'
                                       WHEN crashes_now > crashes AND crashes_now >= :max_crashes THEN 'quarantined' ELSE 'ready' END AS fate
                          FROM orphan
                    )""")
            .with("crashes = crashes_now")
            .to(Room.DONE, "state = 'cancelled'")
            .when("fate = 'cancelled'")
            .orTo(Room.DEAD, "state = 'quarantined'", """
                    errors = rowlock.with_error(errors, attempt, node_id, jsonb_build_object('claimedAt', claimed_at, 'type', 'crash', 'trace', '', 'message',
                           'its node died while it ran, ' || crashes_now || ' times in all'))""")
            .when("fate = 'quarantined'")
            .orTo(Room.READY, "attempt = attempt - 1")
            .answering(
                    "SELECT queue, min(rank), count(*), count(*) FILTER (WHERE fate = 'quarantined') FROM judged GROUP BY queue");

    private static final String ORPHANS = """
            SELECT r.id FROM rowlock.running r
             WHERE NOT EXISTS (SELECT FROM rowlock.node n WHERE n.id = r.node_id)
             ORDER BY random() LIMIT 1000
            """;

    /** At most so many jobs move with one call. */
    public static final int LIMIT = 1000;

    /** What was taken back in one queue; {@code rank} is the most urgent. */
    public record Rescued(String queue, int rank, int jobs, int quarantined) {}

    private final Database database;
    private final EnsureDonePartitions partitions;

    public RescueJobs(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
    }

    /** Takes back whatever has no node, so many jobs at most. */
    public List<Rescued> run(int maxCrashes, int limit) {
        return move(maxCrashes, null, limit);
    }

    /** Takes back those of these jobs that have no node. */
    public List<Rescued> run(int maxCrashes, List<Long> ids) {
        return move(maxCrashes, ids.stream().mapToLong(Long::longValue).toArray(), LIMIT);
    }

    private List<Rescued> move(int maxCrashes, long @Nullable [] ids, int limit) {
        return partitions.around(() -> database.alone(connection -> ColdStatement.on(connection, database.sql(SQL))
                .set("ids", ids)
                .set("limit", limit)
                .set("max_crashes", maxCrashes)
                .list(row -> new Rescued(row.getString(1), row.getInt(2), row.getInt(3), row.getInt(4)))));
    }

    /** The ids of jobs that have no node, of {@link #LIMIT} at most, whichever. */
    public List<Long> orphans() {
        return database.alone(connection ->
                ColdStatement.on(connection, database.sql(ORPHANS)).list(row -> row.getLong(1)));
    }
}
