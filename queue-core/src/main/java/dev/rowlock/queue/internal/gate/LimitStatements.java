package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.FullKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.BegunJobs;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.JobState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What operators set and ask of limits, weights and keys, and what nodes do for limits beside their claims. Joins the caller's transaction unless it says
 * otherwise. What applications declare: {@link DeclareLimits}.
 */
public final class LimitStatements {

    /** The columns of {@code queue_limit} that are a limit, beside its queue. */
    static final String NAMES = """
            max_running, max_running_per_key, rate_jobs, rate_millis, rate_burst, key_rate_jobs, key_rate_millis, key_rate_burst, in_order, burst_per_key
            """;

    /** The same with their types. */
    private static final String TYPED = """
            max_running int, max_running_per_key int, rate_jobs int, rate_millis bigint, rate_burst int,
                   key_rate_jobs int, key_rate_millis bigint, key_rate_burst int, in_order text, burst_per_key int""";

    /** A table of limits, made of the parameter that {@link #json(Collection)} writes. */
    static final String GIVEN = "jsonb_to_recordset(:limits::jsonb) AS given (queue text, %s)".formatted(TYPED);

    /** In an insert with {@code ON CONFLICT}: takes all over. */
    static final String TAKEN_OVER = "(%s) = ROW (%s)".formatted(NAMES, of("excluded"));

    /** In an update of the table {@code l}: takes what its column {@code declared_limit} says. */
    private static final String AS_DECLARED =
            "(%1$s) = (SELECT %1$s FROM jsonb_to_record(l.declared_limit) AS declared (%2$s))".formatted(NAMES, TYPED);

    /** Sets an operator's limit of a queue. */
    private static final String SET = """
            WITH given AS (
                SELECT * FROM %1$s
            ), changed AS (
                INSERT INTO rowlock.queue_limit AS l (queue, %2$s, declared, who)
                SELECT queue, %2$s, false, :audit_who::text FROM given WHERE true
                ON CONFLICT (queue) DO UPDATE
                   SET %3$s, declared = false, changed_at = statement_timestamp(), who = excluded.who,
                       declared_limit = CASE WHEN l.declared THEN %4$s ELSE l.declared_limit END
                RETURNING queue
            )
            """.formatted(GIVEN, NAMES, TAKEN_OVER, json("l"))
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
            """.formatted(AS_DECLARED) + AuditNote.ofNoJobs("changed") + "SELECT queue FROM changed";

    /** Lists the limits of all queues. */
    private static final String LIST = "SELECT queue, %s FROM rowlock.queue_limit ORDER BY queue".formatted(NAMES);

    /** Reads the limits of a queue. */
    private static final String FIND =
            "SELECT queue, %s FROM rowlock.queue_limit WHERE queue = :queue".formatted(NAMES);

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

    /** Finds the rate that a slow-down is about, and locks it. */
    private static final String LOCKED_RATE = """
            SELECT gate, pg_advisory_xact_lock(hashtextextended(:lock || gate, 0))
              FROM (SELECT CASE WHEN l.key_rate_jobs IS NOT NULL AND asked.key IS NOT NULL THEN asked.key
                                WHEN l.rate_jobs IS NOT NULL THEN '' END AS gate
                      FROM rowlock.queue_limit l, (SELECT :key::text AS key) AS asked
                     WHERE l.queue = :queue) AS found
             WHERE gate IS NOT NULL
            """;

    /**
     * Holds back a queue, or a key in it, for a while, or lets it go on: no job of it begins meanwhile, as if its rate were used up. In a statement of its own, whose snapshot
     * is newer than the lock.
     */
    private static final String SLOW_DOWN = """
            INSERT INTO rowlock.rate_state (queue, gate, number, next_at, held_until)
            SELECT asked.queue, asked.gate, nextval('rowlock.claim_token'), coalesce(last.next_at, asked.now),
                   CASE WHEN asked.millis > 0 THEN greatest(last.held_until, asked.now + asked.millis / 1000.0::double precision) END
              FROM (SELECT :queue::text AS queue, :gate::text AS gate, :millis::bigint AS millis,
                           extract(epoch FROM clock_timestamp())::double precision AS now) AS asked
              LEFT JOIN LATERAL (
                   SELECT s.next_at, s.held_until
                     FROM rowlock.rate_state s
                    WHERE s.queue = asked.queue AND s.gate = asked.gate
                    ORDER BY s.number DESC LIMIT 1) AS last ON true
             WHERE asked.millis > 0 OR last.held_until > asked.now
            """;

    private static final int MOST_COUNTED = 1_000;

    // A claim that counts such jobs passes over those that are locked here, so only one of the two does so at a time.
    // Where claims go on, they count.
    private static final String COUNT_RUNNING = """
            UPDATE rowlock.running SET gate = coalesce(job_key, '')
             WHERE ctid = ANY (ARRAY(
                   SELECT r.ctid FROM rowlock.running r
                    WHERE r.gate IS NULL
                      AND r.queue = ANY (ARRAY(
                          SELECT found.queue
                            FROM (SELECT DISTINCT l.queue FROM rowlock.queue_limit l JOIN rowlock.running j ON j.queue = l.queue AND j.gate IS NULL
                                   WHERE l.changed_at > clock_timestamp() - interval '1 hour') AS found
                           WHERE pg_try_advisory_xact_lock(hashtextextended(:lock || found.queue || ' ', 0))))
                    LIMIT :limit
                      FOR NO KEY UPDATE SKIP LOCKED))
            """;

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
        on(connection, SET)
                .set("limits", json(List.of(limit)))
                .set(AuditNote.values(note))
                .list(row -> row.getString(1));
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
        return database.joined(connection -> on(connection, LIST).list(LimitStatements::limit));
    }

    public Optional<QueueLimit> find(String queue) {
        return database.joined(
                connection -> on(connection, FIND).set("queue", queue).first(LimitStatements::limit));
    }

    /** Nobody else changes it until the transaction ends. */
    public Optional<QueueLimit> locked(Connection connection, String queue) throws SQLException {
        return on(connection, LOCKED).set("queue", queue).first(LimitStatements::limit);
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

    /**
     * Sees to it that nothing of a key, or of a queue, begins for a time: because somebody outside has said so. Only where there is a rate. In a transaction of
     * its own. Returns false if there is no rate.
     *
     * @param key null: the queue as a whole
     * @param time zero: no longer
     * @param note for the audit; null: none is written
     */
    public boolean slowDown(String queue, @Nullable String key, Duration time, @Nullable AuditNote note) {
        return database.atomically(database.numbered(connection -> {
            Optional<String> gate = on(connection, LOCKED_RATE)
                    .set("lock", lock(database.schema(), queue))
                    .set("key", key)
                    .set("queue", queue)
                    .first(row -> row.getString(1));
            if (gate.isEmpty()) {
                return false;
            }
            int changed = on(connection, SLOW_DOWN)
                    .set("queue", queue)
                    .set("gate", gate.get())
                    .set("millis", time.toMillis())
                    .update();
            if (changed > 0 && note != null) { // otherwise there was no slow-down to end
                note.write(connection, database.schema(), 0);
            }
            return true;
        }));
    }

    /**
     * Sees to it that jobs which were claimed before their queue had limits count against them, in a transaction of its own. Claims do so too, within a minute
     * after a change; but where all threads are busy for longer, nobody claims. Returns how many did not count before. Some may be left if those were 1,000, and
     * those of a queue that somebody is claiming from at that moment.
     */
    public int countRunning() {
        return database.alone(connection -> on(connection, COUNT_RUNNING)
                .set("lock", lockPrefix(database.schema()))
                .set("limit", MOST_COUNTED)
                .update());
    }

    /**
     * What a gate is locked by: advisory locks of a transaction. They are the database's, so the schema tells ours from those of another Rowlock. With the
     * number 0, this is the lock of the queue; with its key behind it, that of a key.
     */
    public static String lock(Schema schema, String queue) {
        return lockPrefix(schema) + queue + ' ';
    }

    /** Goes before a queue and a space. */
    private static String lockPrefix(Schema schema) {
        return "rowlock gate " + schema.name() + ' ';
    }

    // Limits as rows of queue_limit

    /** {@link #NAMES} of this table. */
    static String of(String table) {
        return table + '.' + NAMES.strip().replace(", ", ", " + table + '.');
    }

    /** {@link #NAMES} of this table as JSON, as in the column {@code declared_limit}. */
    static String json(String table) {
        return Stream.of(NAMES.strip().split(", "))
                .map(name -> "'%1$s', %2$s.%1$s".formatted(name, table))
                .collect(Collectors.joining(", ", "jsonb_strip_nulls(jsonb_build_object(", "))"));
    }

    /** As {@link #GIVEN} reads them. */
    static String json(Collection<QueueLimit> limits) {
        return JsonMapper.shared()
                .writeValueAsString(limits.stream().map(LimitStatements::json).toList());
    }

    private static ObjectNode json(QueueLimit limit) {
        AfterFailure order = limit.inOrder();
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("queue", limit.queue())
                .put("max_running", limit.maxRunning())
                .put("max_running_per_key", limit.maxRunningPerKey())
                .put("in_order", order == null ? null : order.label())
                .put("burst_per_key", limit.burstPerKey());
        putRate(json, "rate", limit.rate());
        putRate(json, "key_rate", limit.ratePerKey());
        return json;
    }

    private static void putRate(ObjectNode json, String name, @Nullable Rate rate) {
        if (rate != null) {
            json.put(name + "_jobs", rate.jobs());
            json.put(name + "_millis", rate.per().toMillis());
            json.put(name + "_burst", rate.burst());
        }
    }

    private static QueueLimit limit(ResultSet row) throws SQLException {
        Integer perKey = Columns.integer(row, 3);
        Integer burst = Columns.integer(row, 11);
        String order = row.getString(10);
        return new QueueLimit(
                row.getString(1),
                Columns.integer(row, 2),
                perKey,
                // Whoever writes to the table may leave one that is no more than the limit. Claims do not look at it.
                burst == null || perKey == null || burst <= perKey ? null : burst,
                rate(row, 4),
                rate(row, 7),
                order == null ? null : AfterFailure.of(order));
    }

    private static @Nullable Rate rate(ResultSet row, int first) throws SQLException {
        Integer jobs = Columns.integer(row, first);
        return jobs == null ? null : new Rate(jobs, Duration.ofMillis(row.getLong(first + 1)), row.getInt(first + 2));
    }
}
