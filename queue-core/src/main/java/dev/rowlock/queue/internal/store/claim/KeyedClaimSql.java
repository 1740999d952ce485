package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.IndexPlan;

/**
 * The two statements of {@link ClaimKeyedJobs}. What a queue without such a rule does not need is behind conditions on the rule alone, which the
 * server looks at once: it costs nothing.
 */
final class KeyedClaimSql {

    private KeyedClaimSql() {}

    // From key to key.
    private static final String FROM_FRONT = """
            ), walk AS (
                SELECT ?::text COLLATE "C" AS job_key, 0 AS known, 0 AS number, NULL::boolean AS found
                 WHERE (SELECT got FROM turn)
                UNION ALL
                SELECT (SELECT r.job_key FROM rowlock.ready r
                         WHERE r.queue = ? AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1), 0, w.number + 1, true
                  FROM walk w
                 WHERE w.job_key IS NOT NULL AND w.number < ?""";

    // Where the next key is known, only the gap before it is searched, and its jobs from where they were last: neither
    // walks over entries of jobs that are gone. Without any it costs a tenth more per job than the other one.
    private static final String OF_KNOWN = """
            ), walk AS (
                SELECT ?::text COLLATE "C" AS job_key, 0 AS place, 0 AS known, 0 AS number, NULL::boolean AS found
                 WHERE (SELECT got FROM turn)
                UNION ALL
                SELECT step.job_key, step.place, step.known, w.number + step.found::int, step.found
                  FROM walk w
                 CROSS JOIN LATERAL (SELECT (SELECT keys FROM known)[w.place + 1] COLLATE "C" AS key OFFSET 0) AS ahead
                 -- In the server's order. The first may be the one where the walk begins.
                 CROSS JOIN LATERAL (SELECT coalesce(ahead.key > w.job_key OR w.found IS NULL AND ahead.key = w.job_key, false) AS usable OFFSET 0) AS is_ahead
                 CROSS JOIN LATERAL (
                       SELECT CASE WHEN is_ahead.usable
                                   THEN (SELECT r.job_key FROM rowlock.ready r
                                          WHERE r.queue = ? AND r.job_key > w.job_key AND r.job_key < ahead.key
                                          ORDER BY r.queue, r.job_key LIMIT 1)
                                   WHEN ahead.key IS NOT NULL OR NOT (SELECT more FROM known)
                                   THEN (SELECT r.job_key FROM rowlock.ready r
                                          WHERE r.queue = ? AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1)
                              END AS key OFFSET 0) AS gap
                 CROSS JOIN LATERAL (SELECT gap.key IS NULL AND is_ahead.usable AS next OFFSET 0) AS is_known
                 CROSS JOIN LATERAL (
                       SELECT CASE WHEN is_known.next THEN ahead.key ELSE gap.key END COLLATE "C" AS job_key,
                              w.place + is_known.next::int AS place,
                              CASE WHEN is_known.next THEN w.place + 1 ELSE 0 END AS known,
                              CASE WHEN is_known.next
                                   THEN EXISTS (SELECT FROM rowlock.ready r
                                                 WHERE r.queue = ? AND r.job_key = ahead.key
                                                   AND (r.rank, r.id) > ((SELECT ranks FROM known)[w.place + 1], (SELECT ids FROM known)[w.place + 1]))
                                   ELSE gap.key IS NOT NULL END AS found OFFSET 0) AS step
                 WHERE w.job_key IS NOT NULL AND w.number < ?""";

    // Where nothing limits keys, no key is locked: rows are. Where something limits the queue as a whole, one claim at
    // a
    // time fills it. A key whose rate is used up is not locked either.
    private static final String WALK = """
            WITH RECURSIVE rule AS MATERIALIZED (
                SELECT *, changed_at > statement_timestamp() - interval '1 min' AS fresh,
                       (extract(epoch FROM changed_at) * 1000000)::bigint AS version
                  FROM rowlock.queue_limit WHERE queue = ?
            ), now AS MATERIALIZED (
                SELECT extract(epoch FROM clock_timestamp())::double precision AS at
            ), turn AS MATERIALIZED (
                SELECT CASE WHEN (SELECT of_queue FROM rule) THEN pg_try_advisory_xact_lock(hashtextextended(?, 0))
                            WHEN (SELECT of_keys FROM rule)
                            THEN EXISTS (SELECT FROM generate_series(1, ?) AS turn (number)
                                          WHERE pg_try_advisory_xact_lock(hashtextextended(?, number)))
                            ELSE true END AS got
            ), counted AS (
                -- Jobs that were claimed before the queue had limits. Those whose claims were under way then commit soon.
                -- No index has them: all that runs is read.
                UPDATE rowlock.running SET gate = coalesce(job_key, '')
                 WHERE ctid = ANY (ARRAY(
                       SELECT r.ctid FROM rowlock.running r
                        WHERE r.queue = ? AND r.gate IS NULL AND (SELECT fresh AND (version <> ? OR ?) FROM rule) AND (SELECT got FROM turn)
                        FOR UPDATE SKIP LOCKED))
            ), known AS MATERIALIZED (
                SELECT ?::text[] AS keys, ?::int[] AS ranks, ?::bigint[] AS ids, ?::boolean AS more
            /*walk*/
            ), timed AS MATERIALIZED (
                SELECT walk.job_key, walk.known, used.wait
                  FROM walk
                  LEFT JOIN LATERAL (
                       SELECT rowlock.rate_wait(r.key_rate_jobs, r.key_rate_millis, r.key_rate_burst, s.next_at, s.held_until, (SELECT at FROM now)) AS wait
                         FROM rule r, rowlock.rate_state s
                        WHERE (SELECT key_rate_jobs FROM rule) IS NOT NULL AND s.queue = ? AND s.gate = walk.job_key
                        ORDER BY s.queue, s.gate, s.number DESC LIMIT 1) AS used ON true
                 WHERE walk.found AND walk.job_key IS NOT NULL
            ), passed AS MATERIALIZED (
                SELECT unnest(?::text[]) AS job_key
            ), tried AS MATERIALIZED (
                SELECT job_key, known, wait,
                       CASE WHEN wait > 0 OR job_key IN (SELECT job_key FROM passed) THEN NULL
                            WHEN (SELECT of_keys FROM rule) IS NOT TRUE THEN true
                            ELSE pg_try_advisory_xact_lock(hashtextextended(? || job_key, 0)) END AS got
                  FROM timed
            ), queue_wait AS MATERIALIZED (
                SELECT rowlock.rate_wait(r.rate_jobs, r.rate_millis, r.rate_burst, s.next_at, s.held_until, (SELECT at FROM now)) AS wait
                  FROM rule r, rowlock.rate_state s
                 WHERE (SELECT rate_jobs FROM rule) IS NOT NULL AND s.queue = ? AND s.gate = ''
                 ORDER BY s.queue, s.gate, s.number DESC LIMIT 1
            )
            SELECT set_config('rowlock_claim.keys', coalesce((SELECT array_agg(job_key)::text FROM tried WHERE got), '{}'), true),
                   set_config('rowlock_claim.known', coalesce((SELECT array_agg(known)::text FROM tried WHERE got), '{}'), true),
                   set_config('rowlock_claim.turn', (SELECT got FROM turn)::text, true),
                   (SELECT got FROM turn),
                   (SELECT count(*) FROM tried WHERE NOT got),
                   (SELECT max(job_key) FROM tried),
                   (SELECT max(job_key) FROM walk WHERE found IS NOT NULL),
                   EXISTS (SELECT FROM walk WHERE job_key IS NULL) AND NOT (SELECT more FROM known),
                   date_part('epoch', statement_timestamp()),
                   (SELECT of_queue FROM rule),
                   greatest((SELECT min(wait) FROM tried WHERE wait > 0),
                            (SELECT wait FROM queue_wait)),
                   (SELECT array_agg(tried.job_key) FROM tried
                     WHERE (SELECT in_order FROM rule) = 'cancel-rest'
                       AND EXISTS (SELECT FROM rowlock.dead d
                                    WHERE d.queue = ? AND d.job_key = tried.job_key
                                      AND d.last_job >= (SELECT f.id FROM rowlock.ready f
                                                          WHERE f.queue = ? AND f.job_key = tried.job_key
                                                          ORDER BY f.queue, f.job_key, f.rank, f.id LIMIT 1))),
                   (SELECT CASE WHEN burst_per_key > max_running_per_key AND max_running IS NOT NULL
                                THEN max_running > (SELECT count(*) FROM rowlock.running r
                                                    WHERE r.queue = ? AND r.gate IS NOT NULL AND r.token >= CASE WHEN rule.version = ? THEN ? ELSE 0 END)
                                ELSE burst_per_key > max_running_per_key END
                           AND coalesce((SELECT wait FROM queue_wait) <= 0, true) FROM rule),
                   (SELECT share_by = 'run-time' FROM rule),
                   (SELECT array_agg(job_key) FROM tried WHERE (SELECT share_by FROM rule) = 'run-time' AND (wait > 0) IS NOT TRUE),
                   (SELECT array_agg(coalesce((SELECT w.weight FROM rowlock.key_weight w WHERE w.queue = ? AND w.job_key = tried.job_key), 1))
                      FROM tried WHERE (SELECT share_by FROM rule) = 'run-time' AND (wait > 0) IS NOT TRUE),
                   (SELECT version FROM rule),
                   (SELECT fresh FROM rule),
                   (SELECT in_order IS NOT NULL FROM rule);
            """;

    // The head of a key in order is chosen before it is locked: if somebody else holds it, the next one does not go in
    // its place.
    private static final String CHOSEN = """
            WITH rule AS MATERIALIZED (
                SELECT * FROM rowlock.queue_limit WHERE queue = ?
            ), now AS MATERIALIZED (
                SELECT extract(epoch FROM clock_timestamp())::double precision AS at
            ), used AS MATERIALIZED (
                SELECT next_at, held_until FROM rowlock.rate_state
                 WHERE (SELECT rate_jobs FROM rule) IS NOT NULL AND queue = ? AND gate = ''
                 ORDER BY queue, gate, number DESC LIMIT 1
            ), known AS MATERIALIZED (
                SELECT ?::int[] AS ranks, ?::bigint[] AS ids,
                       CASE WHEN same.rule THEN ?::bigint[] END AS tokens, CASE WHEN same.rule THEN ?::bigint ELSE 0 END AS token
                  FROM (SELECT (SELECT (extract(epoch FROM changed_at) * 1000000)::bigint FROM rule) = ? AS rule) AS same
            ), in_queue AS MATERIALIZED (
                SELECT count(*) AS jobs, min(r.token) AS lowest
                  FROM rowlock.running r
                 WHERE (SELECT max_running FROM rule) IS NOT NULL AND r.queue = ? AND r.gate IS NOT NULL AND r.token >= (SELECT token FROM known)
            ), wanted AS MATERIALIZED (
                SELECT CASE WHEN current_setting('rowlock_claim.turn')::boolean AND (SELECT true FROM rowlock.node WHERE id = ?)
                            THEN greatest(0, least(
                                 jobs,
                                 (SELECT max_running FROM rule) - (SELECT jobs FROM in_queue),
                                 (SELECT rowlock.rate_permits(r.rate_jobs, r.rate_millis, r.rate_burst, (SELECT next_at FROM used),
                                                              (SELECT held_until FROM used), (SELECT at FROM now))
                                    FROM rule r WHERE r.rate_jobs IS NOT NULL)))
                            ELSE 0 END AS jobs,
                       without_keys
                  FROM (SELECT ?::bigint AS jobs, ?::boolean AS without_keys) AS asked
            ), plain AS MATERIALIZED (
                SELECT ctid AS at FROM rowlock.ready
                 WHERE queue = ? AND job_key IS NULL/*which*/
                   AND (SELECT of_queue FROM rule)
                   AND ((SELECT without_keys FROM wanted) OR current_setting('rowlock_claim.keys') = '{}')
                 ORDER BY queue, rank, ready_at, id
                 LIMIT (SELECT jobs FROM wanted)
                   FOR UPDATE SKIP LOCKED
            ), weighted AS MATERIALIZED (
                SELECT EXISTS (SELECT FROM rowlock.key_weight WHERE queue = ?) AS given
            ), got AS MATERIALIZED (
                SELECT keys, known,
                       greatest(1, (SELECT jobs FROM wanted) / greatest(1, cardinality(keys)
                           + coalesce((SELECT sum(w.weight - 1) FROM rowlock.key_weight w
                                        WHERE (SELECT given FROM weighted) AND w.queue = ? AND w.job_key = ANY (keys)), 0))) AS share,
                       (SELECT CASE WHEN in_order IS NOT NULL THEN 1
                                    WHEN ?::boolean THEN greatest(max_running_per_key, burst_per_key)
                                    ELSE max_running_per_key END FROM rule) AS most
                  FROM (SELECT current_setting('rowlock_claim.keys')::text[] AS keys, current_setting('rowlock_claim.known')::int[] AS known) AS locked
            ), key AS MATERIALIZED (
                SELECT k.job_key, used.next_at, weight.number AS weight, taken.lowest,
                       coalesce((SELECT ranks FROM known)[k.known], -32768) AS rank, coalesce((SELECT ids FROM known)[k.known], 0) AS id,
                       least(CASE WHEN k.job_key = unfinished.key THEN unfinished.rest ELSE got.share * weight.number END,
                             got.most - taken.jobs,
                             CASE WHEN (SELECT key_rate_jobs FROM rule) IS NOT NULL
                             THEN (SELECT rowlock.rate_permits(r.key_rate_jobs, r.key_rate_millis, r.key_rate_burst, used.next_at,
                                                               used.held_until, (SELECT at FROM now)) FROM rule r) END) AS room
                  FROM got CROSS JOIN (SELECT ?::text AS key, ?::int AS rest) AS unfinished CROSS JOIN unnest(got.keys, got.known) AS k (job_key, known)
                 CROSS JOIN LATERAL (
                       SELECT count(*) AS jobs, min(r.token) AS lowest
                         FROM rowlock.running r
                        WHERE got.most IS NOT NULL AND r.queue = ? AND r.gate = k.job_key
                          AND r.token >= coalesce((SELECT tokens FROM known)[k.known], 0)) AS taken
                 CROSS JOIN LATERAL (
                       SELECT CASE WHEN (SELECT given FROM weighted)
                                   THEN coalesce((SELECT w.weight FROM rowlock.key_weight w
                                                   WHERE w.queue = ? AND w.job_key = k.job_key), 1)
                                   ELSE 1 END AS number) AS weight
                  LEFT JOIN LATERAL (
                       SELECT s.next_at, s.held_until FROM rowlock.rate_state s
                        WHERE (SELECT key_rate_jobs FROM rule) IS NOT NULL AND s.queue = ? AND s.gate = k.job_key
                        ORDER BY s.queue, s.gate, s.number DESC LIMIT 1) AS used ON true
            ), head AS MATERIALIZED (
                SELECT first.at
                  FROM key CROSS JOIN LATERAL (
                       SELECT r.ctid AS at FROM rowlock.ready r
                        WHERE (SELECT in_order FROM rule) IS NULL
                          AND r.queue = ? AND r.job_key = key.job_key AND (r.rank, r.id) > (key.rank, key.id)/*which*/
                        ORDER BY r.queue, r.job_key, r.rank, r.id
                        LIMIT greatest(0, key.room)
                          FOR UPDATE SKIP LOCKED) AS first
                 LIMIT (SELECT jobs FROM wanted) - (SELECT count(*) FROM plain)
            ), head_in_order AS MATERIALIZED (
                SELECT first.at
                  FROM key CROSS JOIN LATERAL (
                       SELECT r.ctid AS at FROM rowlock.ready r
                        WHERE (SELECT in_order FROM rule) IS NOT NULL AND key.room > 0
                          AND r.ctid = coalesce(
                              (SELECT b.ctid FROM rowlock.ready b
                                WHERE b.queue = ? AND b.job_key = key.job_key AND (b.attempt > 0 OR b.crashes > 0)
                                ORDER BY b.queue, b.job_key, b.id LIMIT 1),
                              (SELECT f.ctid FROM rowlock.ready f
                                WHERE f.queue = ? AND f.job_key = key.job_key
                                ORDER BY f.queue, f.job_key, f.rank, f.id LIMIT 1))
                          AND true/*which*/
                          AND NOT EXISTS (SELECT FROM rowlock.waiting w
                                           WHERE w.queue = ? AND w.job_key = key.job_key
                                             AND w.reason IN ('retry', 'snooze', 'unknown-type', 'not-started', 'crash', 'redrive'))
                          AND NOT EXISTS (SELECT FROM rowlock.dead d
                                           WHERE d.queue = ? AND d.job_key = key.job_key
                                             AND ((SELECT in_order FROM rule) = 'hold'
                                                  OR (SELECT in_order FROM rule) = 'cancel-rest' AND d.last_job >= r.id))
                          FOR UPDATE SKIP LOCKED) AS first
                 LIMIT (SELECT jobs FROM wanted) - (SELECT count(*) FROM plain)
            ), chosen AS MATERIALIZED (
                SELECT ARRAY(SELECT at FROM plain UNION ALL SELECT at FROM head UNION ALL SELECT at FROM head_in_order) AS rows
            )
            """;

    private static final String TAKEN = """
            , claimed AS (
                DELETE FROM rowlock.ready WHERE ctid = ANY ((SELECT rows FROM chosen)::tid[]) RETURNING *
            ), spent AS (
                INSERT INTO rowlock.rate_state (queue, gate, number, next_at)
                SELECT r.queue, '', nextval('rowlock.claim_token'),
                       rowlock.rate_next(r.rate_jobs, r.rate_millis, r.rate_burst, (SELECT next_at FROM used), (SELECT at FROM now), c.jobs)
                  FROM rule r, (SELECT count(*) AS jobs FROM claimed) AS c
                 WHERE (SELECT rate_jobs FROM rule) IS NOT NULL AND c.jobs > 0
                UNION ALL
                SELECT r.queue, key.job_key, nextval('rowlock.claim_token'),
                       rowlock.rate_next(r.key_rate_jobs, r.key_rate_millis, r.key_rate_burst, key.next_at, (SELECT at FROM now), c.jobs)
                  FROM rule r, key, (SELECT job_key, count(*) AS jobs FROM claimed GROUP BY job_key) AS c
                 WHERE (SELECT key_rate_jobs FROM rule) IS NOT NULL AND key.job_key = c.job_key
            )
            """;

    private static final String WHICH = "/*which*/";

    // What is said of the claim as a whole travels once.
    private static final String ONCE = "CASE WHEN id = (SELECT max(id) FROM claimed) THEN %s END";

    private static final String MOVED = ClaimReadyJobs.moved(
            ", job_key, gate",
            ", job_key, CASE WHEN EXISTS (SELECT FROM rule) THEN coalesce(job_key, '') END",
            ", job_key, gate IS NOT NULL, (SELECT max(job_key) FROM claimed), "
                    + "(SELECT weight FROM key WHERE job_key = (SELECT max(job_key) FROM claimed)), "
                    + ONCE.formatted("(SELECT array_agg(job_key) FROM key WHERE lowest IS NOT NULL)")
                    + ", "
                    + ONCE.formatted("(SELECT array_agg(lowest) FROM key WHERE lowest IS NOT NULL)")
                    + ", "
                    + ONCE.formatted("(SELECT lowest FROM in_queue)"));

    /** Goes before each of the others. */
    static final String LOOK = IndexPlan.PREFIX + WALK.replace("/*walk*/", OF_KNOWN.strip());

    /** The same for a claim that knows no key: {@link #LOOK} without the parameter of the queue where a known key begins and ends. */
    static final String LOOK_FROM_FRONT = IndexPlan.PREFIX + WALK.replace("/*walk*/", FROM_FRONT.strip());

    /** Claims jobs of all types. */
    static final String CLAIM_ALL = (CHOSEN + TAKEN).replace(WHICH, "") + MOVED;

    // Each condition has these parameters. None may be null: the driver would ask for its type first, and so end the
    // transaction between the two statements. In a key in order whose next job is not one of them, none begins.
    private static final String SOME =
            " AND type <> ALL (?::text[]) AND id <> ALL (?::bigint[]) AND (? OR id = ANY (?::bigint[]))";

    /** Claims jobs without some types and some ids, and if so asked only some others. */
    static final String CLAIM_SOME = (CHOSEN + TAKEN).replace(WHICH, SOME) + MOVED;

    /** The ids of the jobs that {@link #CLAIM_SOME} would claim. */
    static final String NAMES_OF_SOME = CHOSEN.replace(WHICH, SOME) + """
            SELECT id FROM rowlock.ready WHERE ctid = ANY ((SELECT rows FROM chosen)::tid[])
            """;
}
