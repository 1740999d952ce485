package dev.rowlock.queue.test.browser;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A million jobs in a thousand queues and with 100,000 keys, 120,000 of them dead of 300 kinds of error, besides
 * 60,000 that were completed in the last hour, in each queue one a minute, and those that an application has. No listener takes
 * them. Dead ones take the longest to write: each has a fingerprint.
 */
public final class ManyJobs {

    static final String DEAD_OF_A_KIND = "400";

    static final String READY_IN_A_QUEUE = "880";

    private static final List<String> ROWS = List.of("""
            INSERT INTO rowlock.ready (id, queue, type, rank, payload, enqueued_at, ready_at, job_key)
            SELECT nextval('rowlock.job_id'), 'bulk-' || i % 1000, 'import', 0, '{}', now(), now(), 'tenant-' || i % 100000
              FROM generate_series(1, 880000) AS i
            """, """
            INSERT INTO rowlock.dead (id, died_at, enqueued_at, claimed_at, rank, attempt, crashes, state, queue, type, payload, errors)
            SELECT nextval('rowlock.job_id'), now() - i * interval '1 ms', now() - interval '1 h', now(), 0, 1, 0, 'dead',
                   'bulk-' || i % 1000, 'import', '{}',
                   jsonb_build_array(jsonb_build_object(
                       'attempt', 1, 'at', now(), 'type', 'E' || i % 300, 'message', 'it is broken', 'trace', ''))
              FROM generate_series(1, 120000) AS i
            """, """
            INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
            SELECT nextval('rowlock.job_id'), greatest(now() - i / 1000 * interval '1 min', date_trunc('day', now(), 'UTC')),
                   now() - interval '1 h', 0, 1, 0, 'completed', 'bulk-' || i % 1000, 'import', '{}'
              FROM generate_series(0, 59999) AS i
            """, """
            INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, reason, queue, type, payload, errors)
            SELECT nextval('rowlock.job_id'), now() + interval '1 d', now(), 0, 1, 0, 'retry', 'bulk-tried', 'import', '{}',
                   jsonb_build_array(jsonb_build_object(
                       'attempt', 1, 'at', now(), 'type', 'Busy', 'message', 'partner is busy', 'trace', ''))
              FROM generate_series(1, 3) AS i
            """, """
            INSERT INTO rowlock.schedule (name, cron, zone, jitter_millis, missed, missed_runs, missed_window_millis, overlap, rank,
                                          queue, type, payload, next_at, fire_at)
            VALUES ('bulk-nightly', '0 0 3 1 1 *', 'UTC', 0, 'skip', 1, 0, 'allow', 0, 'bulk-7', 'import', '{}',
                    now() + interval '1 d', now() + interval '1 d')
            """, """
            WITH job AS (
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, reason, queue, type, payload)
                SELECT nextval('rowlock.job_id'), now() + interval '1 d', now(), 0, 0, 0, 'scheduled', 'bulk-7', 'import', '{}'
                RETURNING id
            ), flow AS (
                INSERT INTO rowlock.workflow (id, name) SELECT nextval('rowlock.job_id'), 'bulk-flow' RETURNING id
            ), step AS (
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts) SELECT id, 0, 'only', 'released', false FROM flow
            )
            INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) SELECT job.id, flow.id, 0 FROM job, flow
            """, "ANALYZE");

    private ManyJobs() {}

    public static void fill(JdbcClient sql) {
        ROWS.forEach(rows -> sql.sql(rows).update());
    }
}
