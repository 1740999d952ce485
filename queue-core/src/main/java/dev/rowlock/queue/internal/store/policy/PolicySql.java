package dev.rowlock.queue.internal.store.policy;

import dev.rowlock.queue.internal.store.Move;
import dev.rowlock.queue.internal.store.Room;

/** What statements about policies have in common. */
final class PolicySql {

    /** How long a job is held at most, also where nobody knows of policies any more. */
    static final String LONGEST = "interval '1 h'";

    /**
     * Whether the policy {@code p} decides now. Not where a clock was set back, nor where keys are in order: a job that has begun holds up the others of its key
     * from where claims look for it.
     */
    static final String DECIDES = """
            (p.decides_until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 min'
             AND NOT EXISTS (SELECT FROM rowlock.queue_limit l WHERE l.queue = p.queue AND l.in_order IS NOT NULL))""";

    /** A common table expression with one row if the policy of a queue, a parameter, decides now. */
    static final String LIVE = """
            live AS MATERIALIZED (
                SELECT true AS it FROM rowlock.policy p WHERE p.queue = ? AND %s
            )""".formatted(DECIDES);

    private PolicySql() {}

    /** Holds the rows of {@code taken}, which come from ready or running. */
    static String held(Move taken, String answer) {
        return taken.to(Room.WAITING, "due_at = statement_timestamp() + " + LONGEST, "reason = 'policy'")
                .answering("""
                        , noted AS (
                            INSERT INTO rowlock.held_job (job_id, due_at, ready_at, rank, queue)
                            SELECT id, statement_timestamp() + %s, ready_at, rank, queue FROM taken
                            -- From an earlier time in waiting.
                            ON CONFLICT (job_id) DO UPDATE
                               SET due_at = excluded.due_at, ready_at = excluded.ready_at, rank = excluded.rank, queue = excluded.queue
                        )
                        """.formatted(LONGEST) + answer);
    }
}
