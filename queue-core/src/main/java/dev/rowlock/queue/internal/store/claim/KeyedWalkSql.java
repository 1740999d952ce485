package dev.rowlock.queue.internal.store.claim;

import static dev.rowlock.queue.internal.store.claim.RulePart.BURST;
import static dev.rowlock.queue.internal.store.claim.RulePart.FRESH;
import static dev.rowlock.queue.internal.store.claim.RulePart.IN_ORDER;
import static dev.rowlock.queue.internal.store.claim.RulePart.KEY_RATE;
import static dev.rowlock.queue.internal.store.claim.RulePart.OF_QUEUE;
import static dev.rowlock.queue.internal.store.claim.RulePart.WEIGHTS;

import dev.rowlock.queue.internal.store.BegunJobs;
import dev.rowlock.queue.internal.store.IndexPlan;
import dev.rowlock.queue.internal.store.claim.KeyedText.Form;
import dev.rowlock.queue.internal.store.claim.KeyedText.Walk;

/** The first statement of {@link ClaimKeyedJobs}: goes from key to key, and locks those that may have jobs. */
final class KeyedWalkSql {

    private KeyedWalkSql() {}

    // Where something limits the queue as a whole, one claim at a time fills it. Whoever locks many keys needs a share
    // of the server's table of locks: the larger the shares, the fewer there are, from the last one down.
    private static final String RULE = """
            WITH RECURSIVE rule AS MATERIALIZED (
                SELECT *, %s AS fresh, (extract(epoch FROM changed_at) * 1000000)::bigint AS version,
                       extract(epoch FROM clock_timestamp())::double precision AS at, %s AS parts
                  FROM rowlock.queue_limit WHERE queue = :queue
            ), turn AS MATERIALIZED (
                SELECT CASE WHEN (needed.parts & ~ :parts::int) <> 0 THEN false
                            WHEN rule.of_queue AND NOT pg_try_advisory_xact_lock(hashtextextended(:lock, 0)) THEN false
                            WHEN rule.of_keys AND NOT rule.of_queue
                                 AND NOT EXISTS (SELECT FROM generate_series(1, :turns) AS turn (number)
                                                  WHERE pg_try_advisory_xact_lock(hashtextextended(:lock, number))) THEN false
                            WHEN rule.of_keys
                                 AND :many AND NOT EXISTS (SELECT FROM generate_series(:shares, 1, -1) AS share (number)
                                                            WHERE pg_try_advisory_xact_lock(hashtextextended(:share_lock, number))) THEN false
                            ELSE true END AS got, needed.parts, rule.of_keys
                  FROM (SELECT coalesce((SELECT parts FROM rule), 0) + %s AS parts) AS needed
                  LEFT JOIN rule ON true
            """.formatted(RulePart.YOUNG, RulePart.ofRule(), WEIGHTS.term());

    private static final String COUNTED = """
            ), counted AS (
                -- Jobs that were claimed before the queue had limits. Those whose claims were under way then commit soon.
                -- No index has them: all that runs is read.
                UPDATE rowlock.running SET gate = coalesce(job_key, '')
                 WHERE ctid = ANY (ARRAY(
                       SELECT r.ctid FROM rowlock.running r
                        WHERE r.queue = :queue AND r.gate IS NULL
                          AND (SELECT fresh AND (version <> :rule OR :recount) FROM rule) AND (SELECT got FROM turn)
                        FOR UPDATE SKIP LOCKED))
            """;

    // From key to key.
    private static final String FROM_FRONT = """
            ), walk AS (
                SELECT :after::text COLLATE "C" AS job_key, 0 AS number, NULL::boolean AS found
                 WHERE (SELECT got FROM turn)
                UNION ALL
                SELECT (SELECT r.job_key FROM rowlock.ready r
                         WHERE r.queue = :queue AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1), w.number + 1, true
                  FROM walk w
                 WHERE w.job_key IS NOT NULL AND w.number < :keys
            """;

    // Where the next key is known, only the gap before it is searched, and its jobs from where they were last: neither
    // walks over entries of jobs that are gone. Without any it costs a tenth more per job than the other one.
    // Without OFFSET 0 the planner may read the whole room for an EXISTS.
    private static final String OF_KNOWN = """
            ), known AS MATERIALIZED (
                SELECT :known_keys::text[] AS keys, :ranks::int[] AS ranks, :ids::bigint[] AS ids
            ), walk AS (
                SELECT :after::text COLLATE "C" AS job_key, 0 AS place, 0 AS known, 0 AS number, NULL::boolean AS found
                 WHERE (SELECT got FROM turn)
                UNION ALL
                SELECT CASE WHEN gap.key IS NULL AND gap.known THEN gap.ahead ELSE gap.key END COLLATE "C",
                       w.place + (gap.key IS NULL AND gap.known)::int,
                       CASE WHEN gap.key IS NULL AND gap.known THEN w.place + 1 ELSE 0 END,
                       w.number + gap.found::int, gap.found
                  FROM walk w
                 CROSS JOIN LATERAL (
                       SELECT before.*,
                              CASE WHEN before.key IS NOT NULL THEN true
                                   WHEN before.known
                                   THEN EXISTS (SELECT FROM rowlock.ready r
                                                 WHERE r.queue = :queue AND r.job_key = before.ahead
                                                   AND (r.rank, r.id) > ((SELECT ranks FROM known)[w.place + 1], (SELECT ids FROM known)[w.place + 1])
                                                  OFFSET 0)
                                   ELSE false END AS found
                         FROM (SELECT ahead.key AS ahead, ahead.known,
                                      CASE WHEN ahead.known
                                           THEN (SELECT r.job_key FROM rowlock.ready r
                                                  WHERE r.queue = :queue AND r.job_key > w.job_key AND r.job_key < ahead.key
                                                  ORDER BY r.queue, r.job_key LIMIT 1)
                                           WHEN ahead.key IS NOT NULL OR NOT :more
                                           THEN (SELECT r.job_key FROM rowlock.ready r
                                                  WHERE r.queue = :queue AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1)
                                      END AS key
                                 -- In the server's order. The first may be the one where the walk begins.
                                 FROM (SELECT next.key, coalesce(next.key > w.job_key OR w.found IS NULL AND next.key = w.job_key, false) AS known
                                         FROM (SELECT (SELECT keys FROM known)[w.place + 1] COLLATE "C" AS key) AS next) AS ahead
                               OFFSET 0) AS before
                       OFFSET 0) AS gap
                 WHERE w.job_key IS NOT NULL AND w.number < :keys
            """;

    private static final String ONLY_KNOWN = """
            ), known AS MATERIALIZED (
                SELECT :known_keys::text[] AS keys
            ), walk AS (
                SELECT k.job_key COLLATE "C" AS job_key, k.place::int AS known, true AS found
                  FROM known CROSS JOIN unnest(known.keys) WITH ORDINALITY AS k (job_key, place)
                 WHERE (SELECT got FROM turn)
            """;

    private static String walk(Form form) {
        return switch (form.walk()) {
            case FROM_FRONT -> FROM_FRONT;
            case OVER_KNOWN -> OF_KNOWN;
            case ONLY_KNOWN -> ONLY_KNOWN;
        };
    }

    // Where the walk ended. Known keys come in the caller's order.
    private static final String REACHED = """
            SELECT max(job_key) FILTER (WHERE found IS NOT NULL) AS job_key, coalesce(bool_or(job_key IS NULL), false) AS over FROM walk""";

    private static final String REACHED_OF_KNOWN = """
            SELECT CASE WHEN turn.got THEN known.keys[cardinality(known.keys)] END AS job_key, turn.got AS over FROM turn CROSS JOIN known""";

    // Where nothing limits keys, no key is locked: rows are. A key whose rate is used up is not locked either.
    private static String tried(Form form) {
        return """
            ), tried AS MATERIALIZED (
                SELECT walk.job_key, %s AS known, %s AS wait,
                       CASE %sWHEN turn.of_keys IS NOT TRUE THEN true
                            ELSE pg_try_advisory_xact_lock(hashtextextended(:lock || walk.job_key, 0)) END AS got
                  FROM walk CROSS JOIN turn%s
                 WHERE walk.found AND walk.job_key IS NOT NULL
            """.formatted(
                        form.known() ? "walk.known" : "0",
                        form.has(KEY_RATE) ? "used.wait" : "NULL::double precision",
                        form.on(KEY_RATE, "WHEN used.wait > 0 THEN NULL "),
                        form.on(KEY_RATE, KEY_WAIT));
    }

    private static final String KEY_WAIT = """

                  LEFT JOIN LATERAL (
                       SELECT rowlock.rate_wait(r.key_rate_jobs, r.key_rate_millis, r.key_rate_burst, s.next_at, s.held_until, r.at) AS wait
                         FROM rule r
                        CROSS JOIN LATERAL (
                              SELECT l.next_at, l.held_until FROM rowlock.rate_state l
                               WHERE r.key_rate_jobs IS NOT NULL AND l.queue = :queue AND l.gate = walk.job_key
                               ORDER BY l.queue, l.gate, l.number DESC LIMIT 1) AS s) AS used ON true""";

    private static final String QUEUE_WAIT = """
            ), queue_wait AS MATERIALIZED (
                SELECT rowlock.rate_wait(r.rate_jobs, r.rate_millis, r.rate_burst, s.next_at, s.held_until, r.at) AS wait
                  FROM rule r, rowlock.rate_state s
                 WHERE (SELECT rate_jobs FROM rule) IS NOT NULL AND s.queue = :queue AND s.gate = ''
                 ORDER BY s.queue, s.gate, s.number DESC LIMIT 1
            """;

    private static final String TO_CANCEL = """
            (SELECT array_agg(tried.job_key) FROM tried
                     WHERE (SELECT in_order FROM rule) = 'cancel-rest'
                       AND EXISTS (SELECT FROM rowlock.dead d
                                    WHERE d.queue = :queue AND d.job_key BETWEEN tried.job_key AND tried.job_key
                                      AND d.last_job >= (SELECT CASE WHEN %s THEN f.id END
                                                           FROM rowlock.ready f
                                                          WHERE f.queue = :queue AND f.job_key = tried.job_key
                                                          ORDER BY f.queue, f.job_key, f.rank, f.id LIMIT 1)
                                    ORDER BY d.queue, d.job_key OFFSET 0))""".formatted(BegunJobs.untouched("f"));

    private static final String HAS_ROOM = """
            CASE WHEN rule.max_running IS NULL THEN true
                                ELSE rule.max_running > (SELECT count(*) FROM rowlock.running r
                                                          WHERE r.queue = :queue AND r.gate IS NOT NULL
                                                            AND r.token >= CASE WHEN rule.version = :rule THEN :token ELSE 0 END) END
                           AND coalesce((SELECT wait FROM queue_wait) <= 0, true)""";

    // Until the rate of the queue allows a job nobody need look; then there may be keys, or jobs without one, that wait
    // for nothing else.
    private static final String WAIT = """
            CASE WHEN (SELECT wait FROM queue_wait) > 0 THEN (SELECT wait FROM queue_wait) ELSE found.wait END""";

    private static String answer(Form form) {
        return """
            ), found AS MATERIALIZED (
                SELECT array_agg(job_key) FILTER (WHERE got) AS keys, %s AS known,
                       count(*) FILTER (WHERE NOT got) AS busy, max(job_key) AS last, min(wait) FILTER (WHERE wait > 0) AS wait
                  FROM tried
            ), reached AS MATERIALIZED (
                %s
            )
            SELECT set_config('rowlock_claim.keys', coalesce(found.keys::text, '{}'), true), %s,
                   set_config('rowlock_claim.turn', turn.got::text, true),
                   turn.got, found.busy, found.last, reached.job_key, reached.over AND NOT :more,
                   date_part('epoch', statement_timestamp()),
                   rule.of_queue,
                   %s,
                   %s,
                   %s,
                   rule.version, rule.fresh, rule.in_order IS NOT NULL, turn.parts,
                   current_setting('max_locks_per_transaction')::bigint
                   * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int)
              FROM turn CROSS JOIN found CROSS JOIN reached LEFT JOIN rule ON true;
            """.formatted(
                form.known() ? "array_agg(known) FILTER (WHERE got)" : "NULL::int[]",
                form.walk() == Walk.ONLY_KNOWN ? REACHED_OF_KNOWN : REACHED,
                form.known() ? "set_config('rowlock_claim.known', coalesce(found.known::text, '{}'), true)" : "NULL",
                form.has(OF_QUEUE) ? WAIT : "found.wait",
                form.has(IN_ORDER) ? TO_CANCEL : "NULL::text[]",
                form.has(BURST)
                        ? "rule.burst_per_key > rule.max_running_per_key" + form.on(OF_QUEUE, " AND " + HAS_ROOM)
                        : "false");
    }

    static String of(Form form) {
        return IndexPlan.PREFIX
                + RULE
                + form.on(FRESH, COUNTED)
                + walk(form)
                + tried(form)
                + form.on(OF_QUEUE, QUEUE_WAIT)
                + answer(form);
    }
}
