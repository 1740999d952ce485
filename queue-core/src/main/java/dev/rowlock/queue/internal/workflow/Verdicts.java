package dev.rowlock.queue.internal.workflow;

/** What the steps before some steps say about them: common table expressions, the last one is {@code verdict}. */
final class Verdicts {

    // A parent goes on as long as it has a job that has not ended, or may get one: a skipped one gets none, even if it
    // is open. Mostly no job of it has failed or was cancelled, and one look says so. Nobody looks for one that has not
    // ended where nothing depends on it: of a large step that may take long. Each table is reached step by step, so
    // that no plan walks through a whole one.
    private static final String SQL = """
            asked AS MATERIALIZED (
                %s
            ), told AS MATERIALIZED (
                SELECT t.workflow_id, t.step_no, e.parent_no, e.runs_after, p.state, p.accepts,
                       p.other IS NOT NULL
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no AND m.failure = 1
                             ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) IS NOT NULL AS failed, -- in this order, because only one index has it
                       p.other IS NOT NULL
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no AND m.failure >= 3
                             ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) IS NOT NULL
                       -- Or it was skipped before anybody had added jobs to it.
                       OR p.state = 'skipped' AND p.other IS NULL
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN e.parent_no AND e.parent_no
                             ORDER BY m.step_no, m.job_id LIMIT 1) IS NULL AS cancelled
                  FROM asked t
                 CROSS JOIN LATERAL (
                       SELECT e.parent_no, e.runs_after FROM rowlock.workflow_edge e
                        WHERE e.workflow_id = t.workflow_id AND e.child_no BETWEEN t.step_no AND t.step_no
                        ORDER BY e.child_no, e.parent_no OFFSET 0) AS e -- likewise
                 CROSS JOIN LATERAL (
                       SELECT p.accepts, p.state,
                              (SELECT m.job_id FROM rowlock.workflow_job m
                                WHERE m.workflow_id = p.workflow_id AND m.step_no BETWEEN p.step_no AND p.step_no AND m.failure IS NOT NULL
                                ORDER BY m.step_no, m.failure, m.job_id LIMIT 1) AS other
                         FROM rowlock.workflow_step p
                        WHERE p.workflow_id = t.workflow_id AND p.step_no = e.parent_no OFFSET 0) AS p
            ), parent AS MATERIALIZED (
                SELECT t.workflow_id, t.step_no, t.runs_after, t.failed, t.cancelled,
                       t.accepts AND t.state <> 'skipped' OR t.state IN ('waiting', 'releasing', 'skipping', 'reviving')
                       OR (t.runs_after = 'end' OR NOT (t.failed OR t.cancelled))
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.parent_no AND t.parent_no AND m.state = 0
                             ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) IS NOT NULL AS going_on,
                       -- Nobody can redrive one of its jobs any more. Looked at once all have ended: there may be many.
                       t.runs_after = 'success-or-hold' AND t.failed AND NOT t.cancelled
                       AND (SELECT m.job_id FROM rowlock.workflow_job m
                             WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.parent_no AND t.parent_no AND m.state = 0
                             ORDER BY m.step_no DESC, m.job_id DESC LIMIT 1) IS NULL
                       AND (WITH RECURSIVE failed AS (
                                (SELECT m.job_id FROM rowlock.workflow_job m
                                  WHERE m.workflow_id = t.workflow_id AND m.step_no BETWEEN t.parent_no AND t.parent_no AND m.failure = 1
                                  ORDER BY m.step_no, m.failure, m.job_id)
                                UNION ALL
                                -- Or one of a workflow that was started by one of them.
                                SELECT CASE m.failure WHEN 1 THEN m.job_id END FROM failed f
                                 CROSS JOIN LATERAL (
                                       SELECT m.job_id, m.failure FROM rowlock.workflow_job m
                                        WHERE m.workflow_id = -f.job_id AND f.job_id < 0 AND m.failure IN (1, 3)
                                        ORDER BY m.step_no, m.failure, m.job_id OFFSET 0) AS m)
                            SELECT true FROM failed f
                             WHERE f.job_id IS NULL -- it was cancelled
                                OR f.job_id > 0
                                   AND coalesce((SELECT r.id FROM rowlock.dead r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.waiting r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.ready r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.running r WHERE r.id = f.job_id),
                                                (SELECT r.id FROM rowlock.done_jobs(ARRAY[f.job_id]) r LIMIT 1)) IS NULL
                             LIMIT 1) IS NOT NULL AS lost
                  FROM told t
            ), running AS MATERIALIZED (
                SELECT w.id
                  FROM (SELECT DISTINCT workflow_id FROM asked) AS t
                 CROSS JOIN LATERAL (
                       SELECT w.id FROM rowlock.workflow w WHERE w.id = t.workflow_id AND w.state IN ('running', 'failed') OFFSET 0) AS w
            ), verdict AS MATERIALIZED (
                SELECT v.*
                  FROM (SELECT workflow_id, step_no,
                               bool_and(CASE runs_after WHEN 'end' THEN NOT going_on
                                                        WHEN 'failure' THEN true
                                                        ELSE NOT going_on AND NOT failed AND NOT cancelled END)
                               AND coalesce(bool_or(failed OR cancelled) FILTER (WHERE runs_after = 'failure'), true) AS met,
                               bool_or(CASE runs_after WHEN 'success' THEN failed OR cancelled
                                                       WHEN 'success-or-hold' THEN cancelled OR lost -- nobody can redrive that
                                                       ELSE false END)
                               OR coalesce(bool_and(NOT going_on AND NOT failed AND NOT cancelled) FILTER (WHERE runs_after = 'failure'), false)
                               AS broken
                          FROM parent
                         GROUP BY workflow_id, step_no) AS v
                  JOIN running w ON w.id = v.workflow_id
                 WHERE v.met OR v.broken
            )
            """;

    private Verdicts() {}

    /** About the steps that this query finds: their {@code workflow_id} and {@code step_no}. */
    static String of(String steps) {
        return SQL.formatted(steps);
    }
}
