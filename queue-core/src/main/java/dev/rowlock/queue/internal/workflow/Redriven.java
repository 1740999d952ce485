package dev.rowlock.queue.internal.workflow;

/** Whether a failed workflow runs again, though nobody has noted it yet: one of its failed jobs was redriven. A condition about a row {@code w} of {@code workflow}. */
public final class Redriven {

    // The job's room says so, looked up by its id; or what was noted of the jobs says so, and of the workflow not yet.
    public static final String CONDITION = """
            w.state = 'failed'
            AND ((SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = w.id
                   ORDER BY m.step_no, m.job_id LIMIT 1) IS NOT NULL -- in this order, because an index has it
                 AND NOT EXISTS (SELECT FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.failure IN (1, 3))
                 OR (SELECT m.job_id FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.state = 0
                      ORDER BY m.step_no, m.job_id LIMIT 1) IS NOT NULL
                 OR EXISTS (SELECT FROM rowlock.workflow_job m
                             WHERE m.workflow_id = w.id AND m.failure = 1
                               AND coalesce((SELECT false FROM rowlock.dead d WHERE d.id = m.job_id), -- nearly all are there
                                            (SELECT true FROM rowlock.ready r WHERE r.id = m.job_id),
                                            (SELECT true FROM rowlock.running r WHERE r.id = m.job_id),
                                            (SELECT true FROM rowlock.waiting r WHERE r.id = m.job_id),
                                            (SELECT true FROM rowlock.done_jobs(ARRAY[m.job_id]) d WHERE d.state = 'completed' LIMIT 1),
                                            false)))
            """;

    private Redriven() {}
}
