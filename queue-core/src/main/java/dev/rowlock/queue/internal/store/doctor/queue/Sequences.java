package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.doctor.Look;

/** Sequences that stand below a number that they have given out, and would give out again. */
public record Sequences() implements Look {

    @Override
    public String sql() {
        return """
                SELECT s.sequence, s.stands_at, s.given_out, 'SELECT rowlock.skip_lost_numbers()' AS moved_on_by
                  FROM (SELECT 'job_id' AS sequence, (SELECT last_value FROM rowlock.job_id) AS stands_at,
                               greatest((SELECT max(id) FROM rowlock.waiting), (SELECT max(id) FROM rowlock.ready),
                                        (SELECT max(id) FROM rowlock.running), (SELECT max(id) FROM rowlock.dead),
                                        (SELECT value::bigint FROM rowlock.figure WHERE name = 'sequence' AND detail = 'job_id')) AS given_out
                        UNION ALL
                        SELECT 'claim_token', (SELECT last_value FROM rowlock.claim_token),
                               greatest((SELECT max(token) FROM rowlock.running),
                                        (SELECT value::bigint FROM rowlock.figure WHERE name = 'sequence' AND detail = 'claim_token'))
                        UNION ALL
                        SELECT 'node_id', (SELECT last_value FROM rowlock.node_id),
                               greatest((SELECT max(id) FROM rowlock.node),
                                        (SELECT value::bigint FROM rowlock.figure WHERE name = 'sequence' AND detail = 'node_id'))) AS s
                 WHERE s.given_out > s.stands_at
                """;
    }
}
