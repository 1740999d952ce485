package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.info;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.warn;
import static dev.rowlock.queue.internal.doctor.Check.check;

import java.util.List;
import java.util.Map;

/** Do keys in order, policies, limits and workflows wait for an operator? */
final class FeatureChecks {

    static final List<Check> ALL = List.of(

            // Ready jobs of a key in order have waited so long for one that has failed for good; first the key with the
            // most jobs.
            check("held-keys", "No key in order waits for a failed job.")
                    .sql("""
                    SELECT held.* FROM rowlock.queue_limit l
                     CROSS JOIN LATERAL (
                           SELECT d.queue, d.job_key, d.id, d.died_at,
                                  (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                                    WHERE r.queue = d.queue AND r.job_key = d.job_key LIMIT 1000) AS waiting) AS jobs
                             FROM (SELECT queue, job_key, id, died_at FROM rowlock.dead
                                    WHERE queue = l.queue AND job_key IS NOT NULL AND last_job > 0
                                    ORDER BY queue, job_key LIMIT 10000) AS d
                            WHERE d.died_at < clock_timestamp() - :failed_minutes * interval '1 min') AS held
                     WHERE l.in_order = 'hold' AND held.jobs > 0
                     ORDER BY held.jobs DESC, held.died_at LIMIT 5""", Map.of("failed_minutes", 10))
                    .finds(
                            warn(
                                    "{jobs} jobs of key '{job_key}' of queue '{queue}' wait for job {id}, which failed at {died_at}: the queue runs its keys in order.",
                                    "Redrive the job that failed, or discard it, by JobAdmin, or skip it by QueueLimits.skip. QueueLimits.blockedKeys lists all such keys.")),

            // A policy of the application gives no good answer, or is not asked any more while jobs wait for it.
            check("silent-policies", "Each policy that is asked answers.")
                    .sql("""
                    SELECT p.queue, p.decides_until AS since, coalesce(n.name, 'none') AS node,
                           p.asked_at > clock_timestamp() - interval '1 min' AS asked, l.in_order IS NOT NULL AS in_order
                      FROM rowlock.policy p
                      LEFT JOIN rowlock.queue_limit l ON l.queue = p.queue LEFT JOIN rowlock.node n ON n.id = p.node_id
                     WHERE (p.decides_until < clock_timestamp() OR l.in_order IS NOT NULL)
                       AND (p.asked_at > clock_timestamp() - interval '1 min' OR EXISTS (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue))
                     ORDER BY p.decides_until LIMIT 5""")
                    .finds(first -> first.is("in_order")
                            ? warn(
                                    "The policy of queue '{queue}' is not asked, because jobs of each key run in order.",
                                    "Remove in-order from the queue, or the policy.")
                            : first.is("asked")
                                    ? warn(
                                            "The policy of queue '{queue}' has given no good answer since {since}: its jobs run in their normal order.",
                                            "The log of node '{node}' says why: the policy throws, hangs, or chooses what it may not.")
                                    : warn(
                                            "No node has asked the policy of queue '{queue}' since {since}, and jobs still wait for it: nodes are letting them go.",
                                            "If the policy is still wanted, start a node that has it.")),

            // A queue that no living node serves has a limit that was set at run time so long ago, a policy that
            // decides, or keys with a weight: its name may be misspelt. Its nodes may be away as well, so nothing is
            // wrong for sure. What applications declare does not count: it stays while the last node is away. Weights
            // may be many, of few queues: one look for each queue.
            check("limit-without-node", "Every queue with a limit, a policy or weights has a node.")
                    .sql("""
                    WITH RECURSIVE weighted AS (
                        (SELECT queue FROM rowlock.key_weight ORDER BY queue, job_key LIMIT 1)
                        UNION ALL
                        SELECT next.* FROM weighted q CROSS JOIN LATERAL (
                               SELECT w.queue FROM rowlock.key_weight w WHERE w.queue > q.queue ORDER BY w.queue, w.job_key LIMIT 1) AS next
                    ), served AS MATERIALIZED (
                        SELECT DISTINCT unnest(n.queues) AS queue FROM rowlock.node n
                         WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                    ), rule AS (
                        SELECT queue, 'a limit' COLLATE "C" AS rule FROM rowlock.queue_limit
                         WHERE NOT declared AND changed_at < clock_timestamp() - :changed_minutes * interval '1 min'
                        UNION ALL
                        SELECT queue, 'a policy' FROM rowlock.policy WHERE decides_until > clock_timestamp()
                        UNION ALL
                        SELECT queue, 'keys with a weight' FROM weighted
                    )
                    SELECT queue, rule, (SELECT string_agg(queue, ', ' ORDER BY queue) FROM (SELECT queue FROM served ORDER BY queue LIMIT 50) AS names) AS served
                      FROM rule
                     WHERE queue NOT IN (SELECT queue FROM served) AND EXISTS (SELECT FROM served)
                     ORDER BY queue, rule LIMIT 5""", Map.of("changed_minutes", 1))
                    .finds(
                            info(
                                    "Queue '{queue}' has {rule}, and no living node serves it. Nodes serve: {served}.",
                                    "If the name of the queue is misspelt, take it back: QueueLimits.remove, or a weight of 1, or another queue() of the policy.")),

            // A workflow goes on only if an operator acts: a step waits for the redrive of a job that failed so long
            // ago, or one that is open has had nothing to do in a workflow of that age. Looks at the 1,000 oldest that
            // run.
            check("stalled-workflows", "No workflow waits for a redrive, or for an open step to be closed.")
                    .sql("""
                    WITH oldest AS MATERIALIZED (SELECT id, name, started_at FROM rowlock.workflow WHERE state = 'running' ORDER BY id LIMIT 1000)
                    SELECT w.id AS workflow, w.name, 'redrive' AS waits_for, failed.step, failed.job, failed.died_at AS since
                      FROM oldest w CROSS JOIN LATERAL (
                           SELECT parent.name AS step, d.id AS job, d.died_at FROM rowlock.workflow_edge e
                             JOIN rowlock.workflow_step child ON child.workflow_id = w.id AND child.step_no = e.child_no AND child.state = 'waiting'
                             JOIN rowlock.workflow_step parent ON parent.workflow_id = w.id AND parent.step_no = e.parent_no
                             JOIN rowlock.workflow_job m ON m.workflow_id = w.id AND m.failure = 1 AND m.step_no = e.parent_no
                             JOIN rowlock.dead d ON d.id = m.job_id
                            WHERE e.workflow_id = w.id AND e.runs_after = 'success-or-hold' LIMIT 1) AS failed
                     WHERE failed.died_at < clock_timestamp() - :failed_minutes * interval '1 min'
                    UNION ALL
                    SELECT w.id, w.name, 'close', open.step, NULL, w.started_at
                      FROM oldest w CROSS JOIN LATERAL (
                           SELECT s.name AS step FROM rowlock.workflow_step s
                            WHERE s.workflow_id = w.id AND s.accepts AND s.state = 'released'
                              AND NOT EXISTS (SELECT FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.state = 0 AND m.step_no = s.step_no) LIMIT 1) AS open
                     WHERE w.started_at < clock_timestamp() - :open_minutes * interval '1 min'
                     ORDER BY since LIMIT 5""", Map.of("failed_minutes", 10, "open_minutes", 24 * 60))
                    .finds(first -> first.is("waits_for", "close")
                            ? warn(
                                    "Workflow {workflow} '{name}' has run since {since}, and all jobs of its step '{step}' have ended, but the step is open for more.",
                                    "Close the step by Workflows.close, or cancel the workflow.")
                            : warn(
                                    "Workflow {workflow} '{name}' has waited since {since}, when job {job} of its step '{step}' failed.",
                                    "Redrive the job that failed, or cancel the workflow.")));

    private FeatureChecks() {}
}
