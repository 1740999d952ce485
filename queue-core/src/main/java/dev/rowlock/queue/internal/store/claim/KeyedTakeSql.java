package dev.rowlock.queue.internal.store.claim;

import static dev.rowlock.queue.internal.store.claim.RulePart.IN_ORDER;
import static dev.rowlock.queue.internal.store.claim.RulePart.KEY_RATE;
import static dev.rowlock.queue.internal.store.claim.RulePart.OF_QUEUE;
import static dev.rowlock.queue.internal.store.claim.RulePart.WEIGHTS;

import dev.rowlock.queue.internal.store.BegunJobs;
import dev.rowlock.queue.internal.store.claim.KeyedText.Form;
import dev.rowlock.queue.internal.store.claim.KeyedText.Which;
import java.util.List;

/**
 * The second statement of {@link ClaimKeyedJobs}: counts what runs of the locked keys, and takes as many jobs as there is room for. Where something limits the
 * queue as a whole, a third one says how many jobs that had room for.
 */
final class KeyedTakeSql {

    private KeyedTakeSql() {}

    private static final String RULE = """
            WITH rule AS MATERIALIZED (
                SELECT *, (extract(epoch FROM changed_at) * 1000000)::bigint AS version,
                       extract(epoch FROM clock_timestamp())::double precision AS at
                  FROM rowlock.queue_limit WHERE queue = :queue
            """;

    private static final String KNOWN = """
            ), known AS MATERIALIZED (
                SELECT :ranks::int[] AS ranks, :ids::bigint[] AS ids,
                       CASE WHEN (SELECT version FROM rule) = :rule THEN :tokens::bigint[] END AS tokens
            """;

    // Where something limits the queue as a whole, jobs without keys are claimed here too.
    private static final String QUEUE = """
            ), used AS MATERIALIZED (
                SELECT next_at, held_until FROM rowlock.rate_state
                 WHERE (SELECT rate_jobs FROM rule) IS NOT NULL AND queue = :queue AND gate = ''
                 ORDER BY queue, gate, number DESC LIMIT 1
            ), in_queue AS MATERIALIZED (
                SELECT count(*) AS jobs, min(r.token) AS lowest
                  FROM rowlock.running r
                 WHERE (SELECT max_running FROM rule) IS NOT NULL AND r.queue = :queue AND r.gate IS NOT NULL
                   AND r.token >= (SELECT CASE WHEN version = :rule THEN :token ELSE 0 END FROM rule)
            """;

    private static final String ROOM_IN_QUEUE = """
            ,
                                 (SELECT max_running FROM rule) - (SELECT jobs FROM in_queue),
                                 (SELECT rowlock.rate_permits(r.rate_jobs, r.rate_millis, r.rate_burst, used.next_at, used.held_until, r.at)
                                    FROM rule r LEFT JOIN used ON true WHERE r.rate_jobs IS NOT NULL)""";

    private static final String NOTED = ", set_config('rowlock_claim.room', most.jobs::text, true) AS noted";

    // No row of the second statement says so where it has claimed none.
    private static final String NOTE = """
            ;
            SELECT current_setting('rowlock_claim.room', true)
            """;

    private static String wanted(Form form) {
        return """
            ), wanted AS MATERIALIZED (
                SELECT most.jobs%s
                  FROM (SELECT CASE WHEN current_setting('rowlock_claim.turn')::boolean AND (SELECT true FROM rowlock.node WHERE id = :node)
                                    THEN greatest(0, least(:jobs::bigint%s))
                                    ELSE 0 END AS jobs) AS most
            """.formatted(form.on(OF_QUEUE, NOTED), form.on(OF_QUEUE, ROOM_IN_QUEUE));
    }

    private static String plain(String which) {
        return """
            ), plain AS MATERIALIZED (
                SELECT ctid AS at, id, 0 AS place FROM rowlock.ready
                 WHERE queue = :queue AND job_key IS NULL%s
                   AND (SELECT of_queue FROM rule)
                   AND (:plain_first OR current_setting('rowlock_claim.keys') = '{}')
                 ORDER BY queue, rank, ready_at, id
                 LIMIT (SELECT jobs FROM wanted)
                   FOR UPDATE SKIP LOCKED
            """.formatted(which);
    }

    // A claim that goes on with a round may find few keys at its end: they share no more than as many as it looks for.
    private static String got(Form form) {
        return """
            ), got AS MATERIALIZED (
                SELECT keys, known, greatest(1, (SELECT jobs FROM wanted) / greatest(CASE WHEN :after::text = '' THEN 1 ELSE :keys::int END, cardinality(keys)%s)) AS share,
                       limits.most
                  FROM (SELECT current_setting('rowlock_claim.keys')::text[] COLLATE "C" AS keys, %s AS known) AS locked
                  LEFT JOIN (SELECT CASE WHEN in_order IS NOT NULL THEN 1
                                         WHEN :borrows THEN greatest(max_running_per_key, burst_per_key)
                                         ELSE max_running_per_key END AS most FROM rule) AS limits ON true
            """.formatted(
                form.on(WEIGHTS, """

                           + coalesce((SELECT sum(w.weight - 1) FROM rowlock.key_weight w
                                        WHERE w.queue = :queue AND w.job_key = ANY (keys)), 0)"""), form.known() ? "current_setting('rowlock_claim.known')::int[]" : "NULL::int[]");
    }

    private static final String WEIGHT = """

                 CROSS JOIN LATERAL (
                       SELECT coalesce((SELECT w.weight FROM rowlock.key_weight w
                                         WHERE w.queue = :queue AND w.job_key = k.job_key), 1) AS number) AS weight""";

    private static final String KEY_USED = """

                  LEFT JOIN LATERAL (
                       SELECT s.next_at, s.held_until FROM rowlock.rate_state s
                        WHERE (SELECT key_rate_jobs FROM rule) IS NOT NULL AND s.queue = :queue AND s.gate = k.job_key
                        ORDER BY s.queue, s.gate, s.number DESC LIMIT 1) AS used ON true
                  LEFT JOIN rule ON true""";

    private static final String KEY_PERMITS = """
            ,
                             CASE WHEN rule.key_rate_jobs IS NOT NULL
                             THEN rowlock.rate_permits(rule.key_rate_jobs, rule.key_rate_millis, rule.key_rate_burst, used.next_at,
                                                       used.held_until, rule.at) END""";

    private static final String POSITION = """
            ,
                       coalesce((SELECT ranks FROM known)[k.known], -32768) AS rank, coalesce((SELECT ids FROM known)[k.known], 0) AS id""";

    private static String key(Form form) {
        boolean known = form.known();
        String weight = form.has(WEIGHTS) ? "weight.number" : "1";
        return """
            ), key AS MATERIALIZED (
                SELECT k.job_key, k.place, %s AS next_at, %s AS weight, taken.lowest%s,
                       least(CASE WHEN k.job_key = :unfinished::text THEN :rest::int ELSE got.share%s END,
                             got.most - taken.jobs%s) AS room
                  FROM got CROSS JOIN unnest(got.keys%s) WITH ORDINALITY AS k (job_key%s, place)
                 CROSS JOIN LATERAL (
                       SELECT count(*) AS jobs, min(r.token) AS lowest
                         FROM rowlock.running r
                        WHERE got.most IS NOT NULL AND r.queue = :queue AND r.gate = k.job_key%s) AS taken%s%s
            """.formatted(
                        form.has(KEY_RATE) ? "used.next_at" : "NULL::double precision",
                        weight,
                        known ? POSITION : "",
                        form.on(WEIGHTS, " * weight.number"),
                        form.on(KEY_RATE, KEY_PERMITS),
                        known ? ", got.known" : "",
                        known ? ", known" : "",
                        known ? """

                          AND r.token >= coalesce((SELECT tokens FROM known)[k.known], 0)""" : "",
                        form.on(WEIGHTS, WEIGHT),
                        form.on(KEY_RATE, KEY_USED));
    }

    private static String limit(Form form) {
        return "LIMIT (SELECT jobs FROM wanted)" + form.on(OF_QUEUE, " - (SELECT count(*) FROM plain)");
    }

    private static String head(Form form, String which) {
        return """
            ), head AS MATERIALIZED (
                SELECT first.at, first.id, key.place
                  FROM key CROSS JOIN LATERAL (
                       SELECT r.ctid AS at, r.id FROM rowlock.ready r
                        WHERE r.queue = :queue AND r.job_key = key.job_key%s%s
                        ORDER BY r.queue, r.job_key, r.rank, r.id
                        LIMIT greatest(0, key.room)
                          FOR UPDATE SKIP LOCKED) AS first
                 %s%s
            """.formatted(
                        form.known() ? " AND (r.rank, r.id) > (key.rank, key.id)" : "",
                        which,
                        form.on(IN_ORDER, "WHERE (SELECT in_order FROM rule) IS NULL "),
                        limit(form));
    }

    // The head of a key in order is chosen before it is locked: if somebody else holds it, the next one does not go in
    // its place. What has begun, or was redriven, is not of the rest that is cancelled. Most claims have no key that is
    // held up, as one look for all shows: to look for each costs 4 µs per job. A skipped job has 0 as its last one: the
    // look for one key begins behind them, however many there are; the look for all would have to walk over them.
    // To the planner all indexes of an empty room cost the same, and its plan stays when the room is full. Only one of
    // them brings rows in the
    // order of queue and key; that it must bring them in the order of one key it does not know if BETWEEN says so, not
    // an equals sign. Without
    // OFFSET 0 it may read the whole room for an EXISTS.
    private static final String HELD_UP = """
            ), span AS MATERIALIZED (
                SELECT min(k.job_key) AS first, max(k.job_key) AS last FROM key AS k
            ), held_up AS MATERIALIZED (
                SELECT EXISTS (SELECT FROM rowlock.ready b
                                WHERE b.queue = :queue AND b.job_key BETWEEN span.first AND span.last AND (b.attempt > 0 OR b.crashes > 0)) AS by_begun,
                       EXISTS (SELECT FROM rowlock.waiting w
                                WHERE w.queue = :queue AND w.job_key BETWEEN span.first AND span.last
                                  AND %s) AS by_waiting,
                       EXISTS (SELECT FROM rowlock.dead d
                                WHERE d.queue = :queue AND d.job_key BETWEEN span.first AND span.last
                                ORDER BY d.queue, d.job_key OFFSET 0) AS by_dead
                  FROM span
            """.formatted(BegunJobs.waiting("w"));

    private static String headInOrder(Form form, String which) {
        return HELD_UP + """
            ), head_in_order AS MATERIALIZED (
                SELECT first.at, first.id, key.place
                  FROM key CROSS JOIN LATERAL (
                       SELECT r.ctid AS at, r.id FROM rowlock.ready r
                        WHERE key.room > 0
                          AND r.ctid = coalesce(
                              CASE WHEN (SELECT by_begun FROM held_up)
                              THEN (SELECT b.ctid FROM rowlock.ready b
                                     WHERE b.queue = :queue AND b.job_key BETWEEN key.job_key AND key.job_key AND (b.attempt > 0 OR b.crashes > 0)
                                     ORDER BY b.queue, b.job_key, b.id LIMIT 1) END,
                              (SELECT f.ctid FROM rowlock.ready f
                                WHERE f.queue = :queue AND f.job_key = key.job_key
                                ORDER BY f.queue, f.job_key, f.rank, f.id LIMIT 1))
                          AND true%s
                          AND CASE WHEN (SELECT by_waiting FROM held_up)
                              THEN NOT EXISTS (SELECT FROM rowlock.waiting w
                                                WHERE w.queue = :queue AND w.job_key = key.job_key
                                                  AND %s OFFSET 0)
                              ELSE true END
                          AND CASE WHEN (SELECT by_dead FROM held_up)
                              THEN NOT EXISTS (SELECT FROM rowlock.dead d
                                                WHERE d.queue = :queue AND d.job_key BETWEEN key.job_key AND key.job_key
                                                  AND d.last_job >= CASE (SELECT in_order FROM rule)
                                                                    WHEN 'hold' THEN 1
                                                                    WHEN 'cancel-rest' THEN CASE WHEN %s THEN r.id END END
                                                ORDER BY d.queue, d.job_key OFFSET 0)
                              ELSE true END
                          FOR UPDATE SKIP LOCKED) AS first
                 WHERE (SELECT in_order FROM rule) IS NOT NULL
                 %s
            """.formatted(which, BegunJobs.waiting("w"), BegunJobs.untouched("r"), limit(form));
    }

    private static String chosen(Form form) {
        return """
            ), chosen AS MATERIALIZED (
                SELECT ARRAY(SELECT at FROM %1$s) AS rows
            ), last AS MATERIALIZED (
                SELECT max(id) AS id, max(place) AS place FROM %1$s
            )
            """.formatted(all(form));
    }

    private static String all(Form form) {
        String rest = form.on(IN_ORDER, " UNION ALL SELECT * FROM head_in_order")
                + form.on(OF_QUEUE, " UNION ALL SELECT * FROM plain");
        return rest.isEmpty() ? "head" : "(SELECT * FROM head" + rest + ") AS heads";
    }

    private static final String CLAIMED = """
            , claimed AS (
                DELETE FROM rowlock.ready WHERE ctid = ANY ((SELECT rows FROM chosen)::tid[]) RETURNING *
            )
            """;

    private static final String SPENT_OF_QUEUE = """
            , spent AS (
                INSERT INTO rowlock.rate_state (queue, gate, number, next_at)
                SELECT r.queue, '', nextval('rowlock.claim_token'),
                       rowlock.rate_next(r.rate_jobs, r.rate_millis, r.rate_burst, used.next_at, r.at, c.jobs)
                  FROM (SELECT count(*) AS jobs FROM claimed) AS c CROSS JOIN rule r LEFT JOIN used ON true
                 WHERE r.rate_jobs IS NOT NULL AND c.jobs > 0
            )
            """;

    private static final String SPENT = """
            , spent_of_key AS (
                INSERT INTO rowlock.rate_state (queue, gate, number, next_at)
                SELECT r.queue, key.job_key, nextval('rowlock.claim_token'),
                       rowlock.rate_next(r.key_rate_jobs, r.key_rate_millis, r.key_rate_burst, key.next_at, r.at, c.jobs)
                  FROM rule r, key, (SELECT job_key, count(*) AS jobs FROM claimed GROUP BY job_key) AS c
                 WHERE r.key_rate_jobs IS NOT NULL AND key.job_key = c.job_key
            )
            """;

    // What is said of the claim as a whole travels with one of its jobs, in one column, because each column costs every
    // job some 0.2 µs: the last key that got a job, its weight, the lowest token of the queue; then keys, and as many
    // tokens.
    private static String told(Form form) {
        return """
            , job_key, gate IS NOT NULL,
                      CASE WHEN id = (SELECT id FROM last)
                           THEN (SELECT ARRAY[max(job_key), max(weight)::text, %s] FROM key WHERE place = (SELECT place FROM last))
                                || (SELECT array_agg(job_key) || array_agg(lowest::text) FROM key WHERE lowest IS NOT NULL)
                      END""".formatted(form.has(OF_QUEUE) ? "(SELECT lowest FROM in_queue)::text" : "NULL");
    }

    private static String moved(Form form) {
        return named(ClaimReadyJobs.moved(
                ", job_key, gate",
                ", job_key, CASE WHEN EXISTS (SELECT FROM rule) THEN coalesce(job_key, '') END",
                told(form)));
    }

    private static String named(String moved) {
        String text = moved;
        for (String name : List.of(":node", ":timeouts", ":longest_wait", ":largest")) {
            text = text.replaceFirst("[?]", name);
        }
        return text;
    }

    // Each condition has these parameters. None may be null: the driver would ask for its type first, and so end the
    // transaction between the two statements. In a key in order whose next job is not one of them, none begins.
    private static final String SOME =
            " AND type <> ALL (:without_types::text[]) AND id <> ALL (:without::bigint[]) AND (:all_others OR id = ANY (:only::bigint[]))";

    static String of(Form form) {
        String which = form.which() == Which.ALL ? "" : SOME;
        String choose = RULE
                + (form.known() ? KNOWN : "")
                + form.on(OF_QUEUE, QUEUE)
                + wanted(form)
                + form.on(OF_QUEUE, plain(which))
                + got(form)
                + key(form)
                + head(form, which)
                + form.on(IN_ORDER, headInOrder(form, which))
                + chosen(form);
        return form.which() == Which.NAMES_OF_SOME
                ? choose + "SELECT id FROM rowlock.ready WHERE ctid = ANY ((SELECT rows FROM chosen)::tid[])\n"
                : choose
                        + CLAIMED
                        + form.on(OF_QUEUE, SPENT_OF_QUEUE)
                        + form.on(KEY_RATE, SPENT)
                        + moved(form)
                        + form.on(OF_QUEUE, NOTE);
    }
}
