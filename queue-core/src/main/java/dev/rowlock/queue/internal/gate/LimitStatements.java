package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.FullKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.BegunJobs;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.job.JobState;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** What operators set and ask of limits, weights and keys. Joins the caller's transaction. What applications declare: {@link DeclareLimits}. */
public final class LimitStatements {

    /** Sets an operator's limit of a queue. */
    private static final String SET =
            """
            WITH given AS (
                SELECT * FROM %1$s
            ), changed AS (
                INSERT INTO rowlock.queue_limit AS l (queue, %2$s, declared, who)
                SELECT *, false, :audit_who::text FROM given WHERE true
                ON CONFLICT (queue) DO UPDATE
                   SET %3$s, declared = false, changed_at = statement_timestamp(), who = excluded.who,
                       declared_limit = CASE WHEN l.declared THEN %4$s ELSE l.declared_limit END
                RETURNING queue
            )
            """.formatted(LimitColumns.GIVEN, LimitColumns.NAMES, LimitColumns.TAKEN_OVER, LimitColumns.json("l"))
                    + AuditNote.ofNoJobs("changed") + "SELECT queue FROM changed";

    /** Removes an operator's limit of a queue: the declared one holds again, or none. */
    private static final String REMOVE =
            """
            WITH restored AS (
                UPDATE rowlock.queue_limit l
                   SET %s, declared = true, declared_limit = NULL, changed_at = statement_timestamp(), who = NULL
                 WHERE l.queue = :queue AND NOT l.declared AND l.declared_limit IS NOT NULL
                RETURNING l.queue
            ), removed AS (
                DELETE FROM rowlock.queue_limit l WHERE l.queue = :queue AND NOT l.declared AND l.declared_limit IS NULL
                RETURNING l.queue
            ), changed AS (
                TABLE restored UNION ALL TABLE removed
            )
            """.formatted(LimitColumns.AS_DECLARED) + AuditNote.ofNoJobs("changed") + "SELECT queue FROM changed";

    /** Lists the limits of all queues. */
    private static final String LIST =
            "SELECT queue, %s FROM rowlock.queue_limit ORDER BY queue".formatted(LimitColumns.NAMES);

    /** Reads the limits of a queue. */
    private static final String FIND =
            "SELECT queue, %s FROM rowlock.queue_limit WHERE queue = :queue".formatted(LimitColumns.NAMES);

    /** Reads the limits of a queue, and locks them until the transaction ends. */
    private static final String LOCKED = FIND + " FOR UPDATE";

    private static final String SET_WEIGHT = """
            WITH asked AS (
                SELECT :queue::text AS queue, :key::text AS job_key, :weight::int AS weight
            ), gone AS (
                DELETE FROM rowlock.key_weight w USING asked a
                 WHERE w.queue = a.queue AND w.job_key = a.job_key AND a.weight = 1
                RETURNING w.queue
            ), written AS (
                INSERT INTO rowlock.key_weight AS w (queue, job_key, weight)
                SELECT queue, job_key, weight FROM asked WHERE weight > 1
                ON CONFLICT (queue, job_key) DO UPDATE SET weight = excluded.weight
                RETURNING queue
            ), changed AS (
                SELECT queue FROM gone UNION ALL SELECT queue FROM written
            )
            """ + AuditNote.ofNoJobs("changed") + "SELECT queue FROM changed";

    private static final String WEIGHTS = "SELECT job_key, weight FROM rowlock.key_weight WHERE queue = :queue";

    private static final String HIGHEST_WEIGHTS = WEIGHTS + " ORDER BY weight DESC, job_key LIMIT :limit";

    private static final String BLOCKED_KEYS = """
            WITH rule AS MATERIALIZED (
                SELECT in_order FROM rowlock.queue_limit WHERE queue = :queue
            ), holder AS MATERIALIZED (
                (SELECT w.job_key, w.id, 'waiting' AS state, w.due_at AS at
                   FROM rowlock.waiting w
                  WHERE w.queue = :queue AND w.job_key IS NOT NULL
                    AND %s
                    AND (SELECT in_order FROM rule) IS NOT NULL
                  ORDER BY w.queue, w.job_key LIMIT :limit)
                UNION ALL
                (SELECT d.job_key, d.id, d.state, d.died_at
                   FROM rowlock.dead d
                  WHERE d.queue = :queue AND d.job_key IS NOT NULL AND d.last_job > 0 AND (SELECT in_order FROM rule) = 'hold'
                  ORDER BY d.queue, d.job_key LIMIT :limit)
            )
            SELECT job_key, id, state, at,
                   (SELECT count(*) FROM (SELECT FROM rowlock.ready r WHERE r.queue = :queue AND r.job_key = h.job_key LIMIT 1000) AS ready_jobs)
              FROM holder h
             ORDER BY job_key, id
             LIMIT :limit
            """.formatted(BegunJobs.waiting("w"));

    // From the running jobs: there are some thousand at most, whatever the number of keys that have jobs ready.
    private static final String FULL_KEYS = """
            WITH rule AS MATERIALIZED (
                SELECT CASE WHEN in_order IS NOT NULL THEN 1 ELSE max_running_per_key END AS most
                  FROM rowlock.queue_limit WHERE queue = :queue
            ), busy AS MATERIALIZED (
                SELECT r.gate, count(*) AS jobs
                  FROM rowlock.running r
                 WHERE r.queue = :queue AND r.gate > '' AND (SELECT most FROM rule) IS NOT NULL
                 GROUP BY r.gate
                HAVING count(*) >= (SELECT most FROM rule)
            ), waits AS (
                SELECT b.gate, b.jobs,
                       (SELECT count(*) FROM (SELECT FROM rowlock.ready r WHERE r.queue = :queue AND r.job_key = b.gate LIMIT 1000) AS ready_jobs) AS ready
                  FROM busy b
            )
            SELECT gate, jobs, (SELECT most FROM rule), ready
              FROM waits
             WHERE ready > 0
             ORDER BY ready DESC, gate
             LIMIT :limit
            """;

    private static final String QUEUES_IN_ORDER =
            "SELECT queue FROM rowlock.queue_limit WHERE in_order IS NOT NULL ORDER BY queue";

    // Twice the lease: a node that is about to be given up may only be slow.
    private static final String SERVED_QUEUES = """
            SELECT DISTINCT unnest(queues) AS queue FROM rowlock.node
             WHERE heartbeat_at > clock_timestamp() - 2 * lease_millis * interval '1 ms'
             ORDER BY queue
            """;

    // Ids begin at 1, so no job was enqueued before a skipped one died: it neither holds up its key nor has a rest that
    // is cancelled.
    private static final String SKIP_DEAD = """
            WITH held AS MATERIALIZED (
                SELECT d.id FROM rowlock.dead d
                 WHERE d.queue = :queue AND d.job_key = :key AND d.last_job > 0
                   AND (SELECT in_order FROM rowlock.queue_limit WHERE queue = :queue) = 'hold'
                 ORDER BY d.id
                   FOR UPDATE
            ), skipped AS (
                UPDATE rowlock.dead SET last_job = 0 WHERE id = ANY (ARRAY(SELECT id FROM held))
                RETURNING id
            )
            """ + AuditNote.of("skipped") + "SELECT count(*) FROM skipped";

    private final Database database;

    public LimitStatements(Database database) {
        this.database = database;
    }

    public void set(QueueLimit limit, AuditNote note) {
        database.joined(connection -> {
            set(connection, limit, note);
            return true;
        });
    }

    public void set(Connection connection, QueueLimit limit, AuditNote note) throws SQLException {
        ColdStatement statement = on(connection, SET).set(AuditNote.values(note));
        LimitColumns.set(statement, List.of(limit));
        statement.list(row -> row.getString(1));
    }

    /** Lets the declared limit hold again, or none if there is none. Returns whether another one held. */
    public boolean remove(String queue, AuditNote note) {
        return database.joined(connection -> on(connection, REMOVE)
                .set("queue", queue)
                .set(AuditNote.values(note))
                .first(row -> true)
                .isPresent());
    }

    public List<QueueLimit> all() {
        return database.joined(connection -> on(connection, LIST).list(LimitColumns.LIMIT));
    }

    public Optional<QueueLimit> find(String queue) {
        return database.joined(
                connection -> on(connection, FIND).set("queue", queue).first(LimitColumns.LIMIT));
    }

    /** Nobody else changes it until the transaction ends. */
    public Optional<QueueLimit> locked(Connection connection, String queue) throws SQLException {
        return on(connection, LOCKED).set("queue", queue).first(LimitColumns.LIMIT);
    }

    /**
     * Sets the weight of a key.
     *
     * @param weight 1 to 1,000
     */
    public void setWeight(String queue, String key, int weight, AuditNote note) {
        database.joined(connection -> on(connection, SET_WEIGHT)
                .set("queue", queue)
                .set("key", key)
                .set("weight", weight)
                .set(AuditNote.values(note))
                .list(row -> row.getString(1)));
    }

    /** Weights by key. */
    public Map<String, Integer> weights(String queue) {
        return database.joined(connection -> read(on(connection, WEIGHTS).set("queue", queue), new TreeMap<>()));
    }

    /** The highest weights first, then by key. */
    public Map<String, Integer> weights(String queue, int limit) {
        return database.joined(connection ->
                read(on(connection, HIGHEST_WEIGHTS).set("queue", queue).set("limit", limit), new LinkedHashMap<>()));
    }

    private static Map<String, Integer> read(ColdStatement statement, Map<String, Integer> weights)
            throws SQLException {
        statement.list(row -> weights.put(row.getString(1), row.getInt(2)));
        return weights;
    }

    /** Finds keys in order whose jobs wait for one that has begun and not ended. */
    public List<BlockedKey> blockedKeys(String queue, int limit) {
        Row<BlockedKey> key = row -> new BlockedKey(
                queue,
                row.getString(1),
                row.getLong(2),
                JobState.of(row.getString(3)),
                Objects.requireNonNull(Columns.instant(row, 4)),
                row.getLong(5));
        return database.joined(connection -> on(connection, BLOCKED_KEYS)
                .set("queue", queue)
                .set("limit", limit)
                .list(key));
    }

    /** Finds keys that have as many running jobs as their limit allows, and more that are ready. */
    public List<FullKey> fullKeys(String queue, int limit) {
        Row<FullKey> key = row -> new FullKey(queue, row.getString(1), row.getLong(2), row.getInt(3), row.getLong(4));
        return database.joined(connection -> on(connection, FULL_KEYS)
                .set("queue", queue)
                .set("limit", limit)
                .list(key));
    }

    /** Finds the queues whose keys run in order: there, a job that has begun holds up others. */
    public List<String> queuesInOrder() {
        return database.joined(connection -> on(connection, QUEUES_IN_ORDER).list(row -> row.getString(1)));
    }

    /** Finds the queues that living nodes serve, by name. There are few nodes. */
    public List<String> servedQueues() {
        return database.joined(connection -> on(connection, SERVED_QUEUES).list(row -> row.getString(1)));
    }

    private ColdStatement on(Connection connection, String sql) {
        return ColdStatement.on(connection, database.sql(sql));
    }

    /** Marks the dead jobs that hold up a key, so that they no longer do. Joins the caller's transaction. Returns how many there were. */
    public int skipDead(String queue, String key, AuditNote note) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(SKIP_DEAD))
                .set("queue", queue)
                .set("key", key)
                .set(AuditNote.values(note))
                .only(row -> row.getInt(1)));
    }
}
