package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Deletes what no job needs any more: nothing depends on it but the size of tables. Tables are walked through a stretch at a time.
 *
 * <p>A payload comes with its job, in one statement, and a move is one statement too. So a snapshot that has the payload, or the checkpoint,
 * has the job in exactly one room, unless the job is gone; and a job that is done or gone never comes back.
 */
public final class Leftovers {

    // Between the snapshot and the lock, a free key may be taken again: the row then names another job, and stays. What
    // is locked is being taken at this moment.
    private static final String FREE_KEYS = """
            WITH looked AS MATERIALIZED (
                SELECT type, key, job_id,
                       coalesce(held_until <= statement_timestamp(), true)
                       AND (SELECT w.id FROM rowlock.waiting w WHERE w.id = k.job_id) IS NULL
                       AND (SELECT r.id FROM rowlock.ready r WHERE r.id = k.job_id) IS NULL
                       AND (SELECT r.id FROM rowlock.running r WHERE r.id = k.job_id) IS NULL AS free
                  FROM rowlock.unique_key k
                 WHERE (type, key) > (:type, :key)
                 ORDER BY type, key LIMIT :limit
            ), locked AS MATERIALIZED (
                SELECT k.type, k.key, k.job_id
                  FROM looked l JOIN rowlock.unique_key k ON k.type = l.type AND k.key = l.key AND k.job_id = l.job_id
                 WHERE l.free
                   FOR UPDATE OF k SKIP LOCKED
            ), removed AS (
                DELETE FROM rowlock.unique_key k USING locked l
                 WHERE k.type = l.type AND k.key = l.key AND k.job_id = l.job_id
                RETURNING 1
            )
            SELECT type, key, (SELECT count(*) FROM looked), (SELECT count(*) FROM removed)
              FROM looked
             ORDER BY type DESC, key DESC LIMIT 1
            """;

    // Rooms are looked into one after the other until the job is found: one look by primary key for each, as in
    // EnqueueUniqueJobs, and those that are left together in done.
    private static final String OF_GONE_JOBS = """
            WITH looked AS MATERIALIZED (
                SELECT p.job_id,
                       coalesce((SELECT r.id FROM rowlock.running r WHERE r.id = p.job_id),
                                (SELECT r.id FROM rowlock.ready r WHERE r.id = p.job_id),
                                (SELECT w.id FROM rowlock.waiting w WHERE w.id = p.job_id),
                                (SELECT d.id FROM rowlock.dead d WHERE d.id = p.job_id)) IS NULL AS ended
                  FROM (SELECT %1$s FROM rowlock.%2$s WHERE job_id > :behind ORDER BY job_id LIMIT :limit) AS p
            ), leftover AS MATERIALIZED (
                SELECT job_id FROM looked WHERE ended
                EXCEPT
                SELECT d.id FROM rowlock.done_jobs(ARRAY(SELECT job_id FROM looked WHERE ended)) AS d
            ), removed AS (
                DELETE FROM rowlock.%2$s WHERE job_id = ANY (ARRAY(SELECT job_id FROM leftover))
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM looked), (SELECT max(job_id) FROM looked), (SELECT count(*) FROM removed)
            """;

    private static final String PAYLOADS = OF_GONE_JOBS.formatted("job_id", "payload");

    private static final String LOGS = OF_GONE_JOBS.formatted("DISTINCT job_id", "job_log");

    // One look by primary key into each room, one after the other until the job is found.
    private static final String CHECKPOINTS = """
            WITH looked AS MATERIALIZED (
                SELECT job_id,
                       coalesce((SELECT r.id FROM rowlock.running r WHERE r.id = c.job_id),
                                (SELECT r.id FROM rowlock.ready r WHERE r.id = c.job_id),
                                (SELECT w.id FROM rowlock.waiting w WHERE w.id = c.job_id),
                                (SELECT d.id FROM rowlock.dead d WHERE d.id = c.job_id)) IS NULL AS ended
                  FROM rowlock.checkpoint c
                 WHERE job_id > :behind
                 ORDER BY job_id LIMIT :limit
            ), removed AS (
                DELETE FROM rowlock.checkpoint WHERE job_id = ANY (ARRAY(SELECT job_id FROM looked WHERE ended))
                RETURNING 1
            )
            SELECT (SELECT count(*) FROM looked), (SELECT max(job_id) FROM looked), (SELECT count(*) FROM removed)
            """;

    // Completed jobs are kept to the day, hence the two days on top. A wish for more than a thousand years is capped:
    // intervals end somewhere.
    private static final String PAST_NODES = """
            DELETE FROM rowlock.past_node
             WHERE id = ANY (ARRAY(
                   SELECT p.id FROM rowlock.past_node p
                    WHERE p.ended_at < statement_timestamp() - interval '2 days'
                          - (SELECT least(coalesce(max(done_millis), 0), 31556952000000) FROM rowlock.retention) * interval '1 ms'
                      AND NOT EXISTS (SELECT FROM rowlock.dead d WHERE d.node_id = p.id)
                    ORDER BY p.id LIMIT :limit
                      FOR UPDATE SKIP LOCKED))
            """;

    private static final String REACHED = """
            DELETE FROM rowlock.reached
             WHERE reached_at NOT BETWEEN clock_timestamp() - :age * interval '1 ms' AND clock_timestamp() + interval '1 min'
            """;

    private static final String SPENT_RATES = """
            DELETE FROM rowlock.rate_state
             WHERE ctid = ANY (ARRAY(
                   SELECT s.ctid FROM rowlock.rate_state s
                    WHERE greatest(s.next_at, s.held_until) < extract(epoch FROM clock_timestamp())
                       OR EXISTS (SELECT FROM rowlock.rate_state later
                                   WHERE later.queue = s.queue AND later.gate = s.gate AND later.number > s.number)
                    LIMIT :limit))
            """;

    private static final int RATES = 10_000;

    /** A place in the table of unique keys; what lies behind it comes next. */
    public record Position(String type, String key) {}

    /** Before all keys. */
    public static final Position FIRST_KEY = new Position("", "");

    /** Before all ids. */
    public static final long FIRST_ID = Long.MIN_VALUE;

    /**
     * What became of a stretch of a table.
     *
     * @param <P> a place in it
     * @param end the last place that was looked at; null if there is nothing more behind it
     */
    public record Stretch<P>(int removed, @Nullable P end) {}

    private final Database database;

    public Leftovers(Database database) {
        this.database = database;
    }

    /** Looks at so many unique keys behind the position, and removes those that no job holds. */
    public Stretch<Position> freeKeys(Position behind, int limit) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(FREE_KEYS))
                        .set("type", behind.type())
                        .set("key", behind.key())
                        .set("limit", limit)
                        .first(row -> {
                            Position last = new Position(row.getString(1), row.getString(2));
                            return new Stretch<>(row.getInt(4), row.getInt(3) < limit ? null : last);
                        }))
                .orElseGet(() -> new Stretch<>(0, null));
    }

    /** Looks at so many large payloads behind the id, and removes those whose jobs are gone. */
    public Stretch<Long> payloads(long behind, int limit) {
        return stretch(PAYLOADS, behind, limit);
    }

    /** Looks at the logs of so many jobs behind the id, and removes those of jobs that are gone. */
    public Stretch<Long> logs(long behind, int limit) {
        return stretch(LOGS, behind, limit);
    }

    /** Looks at so many checkpoints behind the id, and removes those whose jobs have ended for good. Dead jobs may be redriven. */
    public Stretch<Long> checkpoints(long behind, int limit) {
        return stretch(CHECKPOINTS, behind, limit);
    }

    private Stretch<Long> stretch(String sql, long behind, int limit) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(sql))
                .set("behind", behind)
                .set("limit", limit)
                .only(row -> new Stretch<>(row.getInt(3), row.getInt(1) < limit ? null : row.getLong(2))));
    }

    /** Removes nodes that left so long ago that no ended job names them. Reads the whole of dead: run it now and then. Returns how many. */
    public int pastNodes(int limit) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(PAST_NODES))
                .set("limit", limit)
                .update());
    }

    /** Removes positions of claims that are older than this, or were noted before the clock was set back. Returns how many. */
    public int reached(Duration age) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(REACHED))
                .set("age", age.toMillis())
                .update());
    }

    /** Removes what says nothing of rates: there is a later row, or the rate has recovered from what it says. Returns how many rows. */
    public int spentRates() {
        int removed = 0;
        int some;
        do {
            some = database.alone(connection -> ColdStatement.on(connection, database.sql(SPENT_RATES))
                    .set("limit", RATES)
                    .update());
            removed += some;
        } while (some == RATES);
        return removed;
    }
}
