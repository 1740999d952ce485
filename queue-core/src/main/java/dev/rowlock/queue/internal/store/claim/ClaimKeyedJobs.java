package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.claim.ClaimReadyJobs.Batch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves ready jobs to running as far as the limits of their queue and of their keys allow: those that have keys, and in a queue
 * with a limit of its own all others too.
 *
 * <p>One round trip and one transaction, but two statements. The first walks through the keys of the queue, from one on, and tries to
 * lock them, so that no two claims fill the same place. The second has a snapshot that is newer than the locks: it counts what runs, and takes as many jobs of each key as there is
 * room for. No counter is kept, so none can be wrong.
 *
 * <p>Each key that has room gets an equal share of a claim, so that keys take turns.
 */
public final class ClaimKeyedJobs {

    /** A claim locks so many keys, at most: all transactions of a server share a table with room for some thousand locks. */
    static final int KEYS = 200;

    /** It looks at so many, at least: some may be at their limit. */
    private static final int FEWEST = 20;

    /** So many claims of one queue at once, at most, for the same reason. */
    private static final int TURNS = 8;

    // Where the queue has no limit per key, no key is locked: rows are. Where it has a limit of its own, one claim at a
    // time fills it.
    private static final String WALKED = """
            WITH RECURSIVE rule AS MATERIALIZED (
                SELECT max_running, max_running_per_key,
                       changed_at > statement_timestamp() - interval '1 min' AS fresh
                  FROM rowlock.queue_limit WHERE queue = ?
            ), turn AS MATERIALIZED (
                SELECT CASE WHEN (SELECT max_running FROM rule) IS NOT NULL THEN pg_try_advisory_xact_lock(hashtextextended(?, 0))
                            WHEN (SELECT max_running_per_key FROM rule) IS NOT NULL
                            THEN EXISTS (SELECT FROM generate_series(1, ?) AS turn (number)
                                          WHERE pg_try_advisory_xact_lock(hashtextextended(?, number)))
                            ELSE true END AS got
            ), counted AS (
                -- Jobs that were claimed before the queue had limits. Those whose claims were under way then commit soon.
                UPDATE rowlock.running SET gate = coalesce(job_key, '')
                 WHERE ctid = ANY (ARRAY(
                       SELECT r.ctid FROM rowlock.running r
                        WHERE r.queue = ? AND r.gate IS NULL AND (SELECT fresh FROM rule) AND (SELECT got FROM turn)
                        FOR UPDATE SKIP LOCKED))
            ), walk AS (
                (SELECT job_key, 1 AS number FROM rowlock.ready
                  WHERE queue = ? AND job_key > ? AND (SELECT got FROM turn) ORDER BY queue, job_key LIMIT 1)
                UNION ALL
                SELECT (SELECT r.job_key FROM rowlock.ready r
                         WHERE r.queue = ? AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1), w.number + 1
                  FROM walk w
                 WHERE w.job_key IS NOT NULL AND w.number < ?
            ), tried AS MATERIALIZED (
                SELECT job_key,
                       CASE WHEN (SELECT max_running_per_key FROM rule) IS NULL THEN true
                            ELSE pg_try_advisory_xact_lock(hashtextextended(? || job_key, 0)) END AS got
                  FROM walk
            )
            SELECT set_config('rowlock_claim.keys',
                              coalesce((SELECT array_agg(job_key)::text FROM tried WHERE got AND job_key IS NOT NULL), '{}'), true),
                   set_config('rowlock_claim.turn', (SELECT got FROM turn)::text, true),
                   (SELECT got FROM turn),
                   (SELECT count(*) FROM tried WHERE NOT got),
                   (SELECT count(job_key) < ? FROM tried),
                   (SELECT max(job_key) FROM tried),
                   date_part('epoch', statement_timestamp()),
                   (SELECT max_running IS NOT NULL FROM rule);
            """;

    private static final String CLAIMED = """
            WITH rule AS MATERIALIZED (
                SELECT max_running, max_running_per_key FROM rowlock.queue_limit WHERE queue = ?
            ), wanted AS MATERIALIZED (
                SELECT CASE WHEN current_setting('rowlock_claim.turn')::boolean AND (SELECT true FROM rowlock.node WHERE id = ?)
                            THEN greatest(0, least(jobs, (SELECT max_running FROM rule)
                                             - CASE WHEN (SELECT max_running FROM rule) IS NOT NULL
                                                    THEN (SELECT count(*) FROM rowlock.running r WHERE r.queue = ? AND r.gate IS NOT NULL)
                                                    END))
                            ELSE 0 END AS jobs,
                       without_keys
                  FROM (SELECT ?::bigint AS jobs, ?::boolean AS without_keys) AS asked
            ), plain AS MATERIALIZED (
                SELECT ctid AS at FROM rowlock.ready
                 WHERE queue = ? AND job_key IS NULL AND type <> ALL (?::text[])
                   AND (SELECT max_running FROM rule) IS NOT NULL
                   AND ((SELECT without_keys FROM wanted) OR current_setting('rowlock_claim.keys') = '{}')
                 ORDER BY queue, rank, ready_at, id
                 LIMIT (SELECT jobs FROM wanted)
                   FOR UPDATE SKIP LOCKED
            ), got AS MATERIALIZED (
                SELECT keys, greatest(1, (SELECT jobs FROM wanted) / greatest(1, cardinality(keys))) AS share,
                       (SELECT max_running_per_key FROM rule) AS most
                  FROM (SELECT current_setting('rowlock_claim.keys')::text[] AS keys) AS locked
            ), key AS MATERIALIZED (
                SELECT k.job_key,
                       least(got.share, got.most - CASE WHEN got.most IS NOT NULL
                             THEN (SELECT count(*) FROM rowlock.running r WHERE r.queue = ? AND r.gate = k.job_key) END) AS room
                  FROM got, unnest(got.keys) AS k (job_key)
            ), head AS MATERIALIZED (
                SELECT first.at
                  FROM key CROSS JOIN LATERAL (
                       SELECT r.ctid AS at FROM rowlock.ready r
                        WHERE r.queue = ? AND r.job_key = key.job_key AND r.type <> ALL (?::text[])
                        ORDER BY r.queue, r.job_key, r.rank, r.ready_at, r.id
                        LIMIT greatest(0, key.room)
                          FOR UPDATE SKIP LOCKED) AS first
                 LIMIT (SELECT jobs FROM wanted) - (SELECT count(*) FROM plain)
            ), claimed AS (
                DELETE FROM rowlock.ready
                 WHERE ctid = ANY (ARRAY(SELECT at FROM plain UNION ALL SELECT at FROM head))
                RETURNING *
            )
            """;

    private static final String SQL = IndexPlan.PREFIX
            + WALKED
            + CLAIMED
            + ClaimReadyJobs.moved(
                    ", job_key, gate",
                    ", job_key, CASE WHEN EXISTS (SELECT FROM rule) THEN coalesce(job_key, '') END",
                    ", job_key, gate IS NOT NULL, (SELECT max(job_key) FROM claimed)");

    /**
     * What one claim brought.
     *
     * @param reached behind this key the next claim looks; null if there was none
     * @param end whether no key comes after it
     * @param limited whether the queue has a limit of its own, so that this claims jobs without keys too
     * @param busy how many keys, or 1 for the queue, somebody else was filling at that moment
     */
    public record KeyedBatch(Batch batch, @Nullable String reached, boolean end, boolean limited, int busy) {}

    private final Database database;
    private final Duration longestWait;
    private final String sql;

    /** @param longestWait a handler that has not begun so long after the claim does not begin: added to each timeout */
    public ClaimKeyedJobs(Database database, Duration longestWait) {
        this.database = database;
        this.longestWait = longestWait;
        this.sql = database.sql(SQL);
    }

    /**
     * Claims up to {@code limit} jobs.
     *
     * @param after looks at the keys behind this one; empty: at all
     * @param plainFirst whether jobs without keys come first, in a queue with a limit of its own; otherwise they come where no key
     *     has room
     * @param largest a large payload of more bytes than this stays behind until its job starts
     * @param left jobs of these types stay ready
     * @param timeouts the listeners' timeouts as a JSON object of milliseconds by type, for jobs without their own
     */
    public KeyedBatch run(
            String queue,
            String after,
            boolean plainFirst,
            int limit,
            int largest,
            List<String> left,
            long nodeId,
            @Nullable String timeouts) {
        return database.alone(
                connection -> run(connection, queue, after, plainFirst, limit, largest, left, nodeId, timeouts));
    }

    private KeyedBatch run(
            Connection connection,
            String queue,
            String after,
            boolean plainFirst,
            int limit,
            int largest,
            List<String> left,
            long nodeId,
            @Nullable String timeouts)
            throws SQLException {
        long begun = System.nanoTime();
        int keys = Math.min(KEYS, Math.max(FEWEST, limit));
        try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
            new Parameters(statement)
                    .add(queue)
                    .add(lock(queue))
                    .add(TURNS)
                    .add(lock(queue))
                    .add(queue)
                    .add(queue)
                    .add(after)
                    .add(queue)
                    .add(keys)
                    .add(lock(queue))
                    .add(keys)
                    // the claim
                    .add(queue)
                    .add(nodeId)
                    .add(queue)
                    .add((long) limit)
                    .add(plainFirst)
                    .add(queue)
                    .addTexts(left)
                    .add(queue)
                    .add(queue)
                    .addTexts(left)
                    .add(nodeId)
                    .add(timeouts)
                    .add(longestWait.toMillis())
                    .add(largest);
            statement.execute();
            try (ResultSet walked = IndexPlan.rows(statement)) {
                walked.next();
                boolean turn = walked.getBoolean(3);
                int busy = turn ? walked.getInt(4) : 1;
                boolean end = walked.getBoolean(5);
                String reached = walked.getString(6);
                double claimedAt = walked.getDouble(7);
                boolean limited = walked.getBoolean(8);
                try (ResultSet rows = IndexPlan.rows(statement)) {
                    ClaimedRows claimed = new ClaimedRows(queue, claimedAt);
                    Batch batch = claimed.readKeyed(rows, limit, begun);
                    if (batch.jobs().size() < limit) {
                        return new KeyedBatch(batch, reached, end, limited, busy);
                    }
                    // Keys behind the last one got nothing: the next claim begins there.
                    String last = claimed.lastKey();
                    return new KeyedBatch(batch, last == null ? after : last, false, limited, busy);
                }
            }
        }
    }

    /** Advisory locks are the database's: the schema tells ours from those of another Rowlock. */
    private String lock(String queue) {
        return "rowlock gate " + database.schema().name() + ' ' + queue + ' ';
    }
}
