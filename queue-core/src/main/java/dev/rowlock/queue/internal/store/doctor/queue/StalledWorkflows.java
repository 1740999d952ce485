package dev.rowlock.queue.internal.store.doctor.queue;

import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.time.Duration;
import java.util.List;

/**
 * Workflows that go on only if somebody does something: a step waits for a redrive of a job that failed so long ago, or one that is open has had nothing to do
 * in a workflow of that age. Looks at the 1,000 oldest that run.
 *
 * @param failedFor since the job failed
 * @param openFor since the workflow of an open step was started
 */
public record StalledWorkflows(Duration failedFor, Duration openFor) implements Look {

    @Override
    public String sql() {
        return """
                WITH oldest AS MATERIALIZED (
                    SELECT id, name, started_at FROM rowlock.workflow WHERE state = 'running' ORDER BY id LIMIT 1000
                )
                SELECT w.id AS workflow, w.name, 'redrive' AS waits_for, failed.step, failed.job, failed.died_at AS since
                  FROM oldest w
                 CROSS JOIN LATERAL (
                       SELECT parent.name AS step, d.id AS job, d.died_at
                         FROM rowlock.workflow_edge e
                         JOIN rowlock.workflow_step child ON child.workflow_id = w.id AND child.step_no = e.child_no AND child.state = 'waiting'
                         JOIN rowlock.workflow_step parent ON parent.workflow_id = w.id AND parent.step_no = e.parent_no
                         JOIN rowlock.workflow_job m ON m.workflow_id = w.id AND m.failure = 1 AND m.step_no = e.parent_no
                         JOIN rowlock.dead d ON d.id = m.job_id
                        WHERE e.workflow_id = w.id AND e.runs_after = 'success-or-hold'
                        LIMIT 1) AS failed
                 WHERE failed.died_at < clock_timestamp() - ? * interval '1 ms'
                UNION ALL
                SELECT w.id, w.name, 'close', open.step, NULL, w.started_at
                  FROM oldest w
                 CROSS JOIN LATERAL (
                       SELECT s.name AS step
                         FROM rowlock.workflow_step s
                        WHERE s.workflow_id = w.id AND s.accepts AND s.state = 'released'
                          AND NOT EXISTS (SELECT FROM rowlock.workflow_job m
                                           WHERE m.workflow_id = w.id AND m.state = 0 AND m.step_no = s.step_no)
                        LIMIT 1) AS open
                 WHERE w.started_at < clock_timestamp() - ? * interval '1 ms'
                 ORDER BY since
                 LIMIT 5
                """;
    }

    @Override
    public List<Object> parameters(Schema schema) {
        return List.of(failedFor.toMillis(), openFor.toMillis());
    }
}
