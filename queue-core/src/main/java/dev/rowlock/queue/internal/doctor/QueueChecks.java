package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.fail;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.info;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.warn;
import static dev.rowlock.queue.internal.doctor.Check.check;

import java.util.List;
import java.util.Map;

/**
 * Does each queue have nodes and listeners, do jobs survive, and do nodes do their chores? Do keys in order, policies, limits and workflows wait for an
 * operator?
 */
final class QueueChecks {

    /** {@code queues}: those that have ready jobs, one look at an index for each. Jobs with keys have an index of their own. */
    private static final String READY_QUEUES = """
            WITH RECURSIVE plain_queue AS (
                (SELECT queue FROM rowlock.ready WHERE job_key IS NULL ORDER BY queue, rank, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM plain_queue q CROSS JOIN LATERAL (
                       SELECT r.queue FROM rowlock.ready r WHERE r.job_key IS NULL AND r.queue > q.queue ORDER BY r.queue, r.rank, r.ready_at, r.id LIMIT 1) AS next
            ), keyed_queue AS (
                (SELECT queue FROM rowlock.ready WHERE job_key IS NOT NULL ORDER BY queue, job_key, rank, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM keyed_queue q CROSS JOIN LATERAL (
                       SELECT r.queue FROM rowlock.ready r WHERE r.job_key IS NOT NULL AND r.queue > q.queue ORDER BY r.queue, r.job_key, r.rank, r.id LIMIT 1) AS next
            ), queues AS (SELECT queue FROM plain_queue UNION SELECT queue FROM keyed_queue)
            """;

    static final List<Check> ALL = List.of(

            // Somebody has paused something and may have forgotten it.
            check("old-pause", "Nothing has been paused for long.")
                    .sql("""
                    SELECT kind, name, paused_at, who, why FROM rowlock.pause
                     WHERE clock_timestamp() - paused_at > :paused_hours * interval '1 hour'
                     ORDER BY paused_at LIMIT 5""", Map.of("paused_hours", 24))
                    .finds(oldest -> warn(
                            (oldest.is("kind", "everything") ? "Everything" : "The {kind} '{name}'")
                                    + " has been paused since {paused_at} by {who}.",
                            "Resume it by JobAdmin, unless somebody still needs the pause.")),

            // Jobs have been ready for longer than this, and no living node serves their queue. Jobs that are paused do
            // not count.
            check("queue-without-node", "Every queue with ready jobs has a node.")
                    .sql(READY_QUEUES + """
                    SELECT q.queue FROM queues q
                     WHERE q.queue IS NOT NULL
                       AND NOT EXISTS (SELECT FROM rowlock.node n WHERE q.queue = ANY (n.queues)
                                          AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms')
                       AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = q.queue)
                       AND (EXISTS (SELECT FROM rowlock.ready r
                                     WHERE r.queue = q.queue AND r.job_key IS NULL AND r.ready_at < clock_timestamp() - :ready_minutes * interval '1 min'
                                       AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'type' AND p.name = r.type))
                            OR EXISTS (SELECT FROM rowlock.ready r
                                        WHERE r.queue = q.queue AND r.job_key IS NOT NULL AND r.ready_at < clock_timestamp() - :ready_minutes * interval '1 min'
                                          AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'type' AND p.name = r.type)))
                     LIMIT 5""", Map.of("ready_minutes", 1))
                    .finds(fail(
                            "Queue '{queue}' has ready jobs, and no living node serves it.",
                            "Start an application with a listener of this queue, or correct the name of the queue.")),

            // Nodes take the jobs of a queue and have no listener for some types: they publish those of their listeners
            // with their retries. Jobs that are paused do not count. It looks at the jobs that are due first, and at
            // the front of each queue, so it stays quick.
            check("type-without-listener", "Every type with due jobs has a listener on a living node of its queue.")
                    .sql(READY_QUEUES + """
                    , put_aside AS (
                        SELECT w.queue, w.type, w.reason, w.enqueued_at AS since FROM rowlock.waiting w
                         WHERE w.due_at < clock_timestamp() + interval '11 minutes' -- nodes put them aside for ten at most
                         ORDER BY w.due_at, w.id LIMIT 10000
                    ), front AS (
                        SELECT q.queue, r.type, r.ready_at AS since FROM queues q
                         CROSS JOIN LATERAL ((SELECT r.type, r.ready_at FROM rowlock.ready r
                                               WHERE r.queue = q.queue AND r.job_key IS NULL ORDER BY r.rank, r.ready_at, r.id LIMIT 200)
                                             UNION ALL
                                             (SELECT r.type, r.ready_at FROM rowlock.ready r
                                               WHERE r.queue = q.queue AND r.job_key IS NOT NULL ORDER BY r.job_key, r.rank, r.id LIMIT 200)) AS r
                    ), kind AS (
                        SELECT queue, type, count(*) AS jobs, min(since) AS since
                          FROM (SELECT queue, type, since FROM put_aside
                                 WHERE reason = 'unknown-type' AND since < clock_timestamp() - :since_minutes * interval '1 min'
                                UNION ALL
                                SELECT queue, type, since FROM front WHERE since < clock_timestamp() - :since_minutes * interval '1 min') AS job
                         GROUP BY queue, type
                    )
                    SELECT k.type, k.queue, k.jobs, k.since FROM kind k
                     WHERE EXISTS (SELECT FROM rowlock.node n WHERE k.queue = ANY (n.queues)
                                      AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms')
                       AND NOT EXISTS (SELECT FROM rowlock.node n WHERE k.queue = ANY (n.queues)
                                          AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                          AND (n.retries IS NULL OR n.retries -> k.type IS NOT NULL))
                       AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = k.queue
                                                                      OR p.kind = 'type' AND p.name = k.type)
                     ORDER BY k.jobs DESC, k.queue, k.type LIMIT 5""", Map.of("since_minutes", 1))
                    .finds(
                            fail(
                                    "Queue '{queue}' has jobs of type '{type}', and no living node of the queue has a listener for them.",
                                    "Deploy a listener for the type, or add the name to the former names of its @JobType. If nobody needs the jobs, cancel them by JobAdmin.")),

            // Jobs of a node that is gone, or silent for twice its lease, have waited for a rescue for longer than
            // this.
            check("stuck-jobs", "No job waits for a rescue.")
                    .sql("""
                    SELECT r.node_id, coalesce(n.name, p.name, '') AS node, count(*) AS jobs, min(r.claimed_at) AS oldest_claim, n.id IS NULL AS gone,
                           EXISTS (SELECT FROM rowlock.node other WHERE other.heartbeat_at > clock_timestamp() - 2 * other.lease_millis * interval '1 ms') AS others_live
                      FROM rowlock.running r
                      LEFT JOIN rowlock.node n ON n.id = r.node_id
                      LEFT JOIN rowlock.past_node p ON p.id = r.node_id
                     WHERE n.id IS NULL AND coalesce(p.ended_at, r.claimed_at) < clock_timestamp() - :waits_millis * interval '1 ms'
                        OR n.heartbeat_at < clock_timestamp() - (2 * n.lease_millis + :waits_millis) * interval '1 ms'
                     GROUP BY r.node_id, n.id, coalesce(n.name, p.name, '')
                     ORDER BY jobs DESC LIMIT 5""", Map.of("waits_millis", 60_000))
                    .finds(first -> first.is("others_live")
                            ? fail(
                                    "{jobs} jobs belong to node '{node}' ({node_id}), whose lease has run out, and no other node has taken them back.",
                                    "Read in the logs of the nodes why their chores 'rescue' and 'stray jobs' fail.")
                            : fail(
                                    "{jobs} jobs belong to node '{node}' ({node_id}), whose lease has run out, and no other node lives that would take them back.",
                                    "Start a node: it takes the jobs back by itself.")),

            // What one node does for all has been begun by none for so many of its intervals, and at least for this
            // time, though a node has lived that long. A chore that walks through a large table begins a round less
            // often.
            check("stale-chore", "Nodes begin their chores in time.")
                    .sql("""
                    SELECT c.name, c.taken_at, c.due_at, clock_timestamp() - c.due_at AS overdue_for
                      FROM (SELECT name, taken_at, due_at, greatest(:intervals * (due_at - taken_at), :at_least_minutes * interval '1 min') AS allowed FROM rowlock.chore) AS c
                     WHERE c.due_at < clock_timestamp() - c.allowed
                       AND EXISTS (SELECT FROM rowlock.node n
                                    WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                      AND n.started_at < clock_timestamp() - c.allowed)
                     ORDER BY c.due_at LIMIT 5""", Map.of("intervals", 20, "at_least_minutes", 60))
                    .finds(
                            warn(
                                    "No node has begun the chore '{name}' since {taken_at}, though nodes live.",
                                    "Read the logs of the nodes, and take a thread dump: their janitors hang or fail. If it is a chore of a former release, delete its row of rowlock.chore.")),

            // A node has lost its lease so often within this time. One that comes back after its lease has the same
            // name.
            check("flapping-lease", "No node has lost its lease again and again.")
                    .sql("""
                    SELECT p.name, count(*) AS times, max(p.ended_at) AS last_at FROM rowlock.past_node p
                     WHERE p.expired AND p.ended_at > clock_timestamp() - :within_minutes * interval '1 min'
                     GROUP BY p.name HAVING count(*) >= :losses
                     ORDER BY times DESC, p.name LIMIT 5""", Map.of("within_minutes", 60, "losses", 2))
                    .finds(
                            warn(
                                    "Node '{name}' has lost its lease {times} times within {within_minutes} minutes, and its jobs began anew elsewhere each time.",
                                    "Look for pauses of its garbage collector, for a starved processor or pool, and for restarts by the platform. A longer rowlock.worker.lease bridges pauses.")),

            // A recurring job has skipped so many runs in a row, because the job of its last run has not ended.
            check("skipped-runs", "No recurring job skips its runs again and again.")
                    .sql("""
                    SELECT s.name, s.skipped_in_a_row AS runs, s.last_job_id AS job, coalesce(r.claimed_at, s.last_at) AS since, r.id IS NOT NULL AS runs_now
                      FROM rowlock.schedule s LEFT JOIN rowlock.running r ON r.id = s.last_job_id
                     WHERE s.skipped_in_a_row >= :runs AND s.paused_at IS NULL AND s.retired_at IS NULL
                     ORDER BY s.skipped_in_a_row DESC, s.name LIMIT 5""", Map.of("runs", 3))
                    .finds(
                            first -> warn(
                                    first.is("runs_now")
                                            ? "The recurring job '{name}' has skipped {runs} runs in a row: its job {job} has run since {since}."
                                            : "The recurring job '{name}' has skipped {runs} runs in a row: its job {job} of {since} has not ended.",
                                    "Look why that job does not end, such as by JobSearch.explain({job}), and cancel it if it hangs. Give its listener a timeout, or let its runs overlap.")),

            // So many jobs have died of one error within this time. The message is not shown: it may quote a payload.
            check("dead-jobs", "Few jobs have died lately.")
                    .sql("""
                    SELECT g.fingerprint, g.jobs, d.type, d.queue, coalesce(d.errors -> -1 ->> 'type', '') AS error, g.last_at,
                           CASE WHEN g.jobs_of_key * 10 >= g.jobs * 9 THEN coalesce(g.key, '') ELSE '' END AS key
                      FROM (SELECT late.fingerprint, sum(late.jobs)::bigint AS jobs, max(late.last_at) AS last_at, max(late.newest) AS newest,
                                   max(late.jobs) AS jobs_of_key, (array_agg(late.job_key ORDER BY late.jobs DESC))[ 1 ] AS key
                              FROM (SELECT fingerprint, job_key, count(*) AS jobs, max(died_at) AS last_at, max(id) AS newest
                                      FROM (SELECT fingerprint, job_key, died_at, id FROM rowlock.dead
                                             WHERE died_at > clock_timestamp() - :within_minutes * interval '1 min' AND state = 'dead'
                                             ORDER BY died_at DESC LIMIT 10000) AS newest
                                     GROUP BY fingerprint, job_key) AS late
                             GROUP BY late.fingerprint HAVING sum(late.jobs) >= :deaths
                             ORDER BY jobs DESC LIMIT 5) AS g
                      JOIN rowlock.dead d ON d.id = g.newest
                     ORDER BY g.jobs DESC""", Map.of("within_minutes", 60, "deaths", 100))
                    .finds(
                            first -> warn(
                                    "{jobs} jobs have died of one error within {within_minutes} minutes, "
                                            + (first.is("key", "") ? "" : "nearly all of them of key '{key}', ")
                                            + "the last one of type '{type}': {error}.",
                                    "Read the view failure or JobSearch.deadByError. Remove the cause, then redrive the jobs with fingerprint {fingerprint} by JobAdmin.")),

            // Jobs may take their nodes down: some were quarantined within this time, or run after their nodes have
            // died so often.
            check("node-killers", "No job is suspected of taking its node down.")
                    .sql("""
                    SELECT job.state, job.id, job.type, job.queue, job.crashes, job.at
                      FROM (SELECT 'quarantined' AS state, late.id, late.type, late.queue, late.crashes, late.died_at AS at
                              FROM (SELECT * FROM rowlock.dead WHERE died_at > clock_timestamp() - :within_hours * interval '1 hour'
                                     ORDER BY died_at DESC LIMIT 10000) AS late
                             WHERE late.state = 'quarantined'
                            UNION ALL
                            SELECT 'running', r.id, r.type, r.queue, r.crashes, r.claimed_at FROM rowlock.running r WHERE r.crashes >= :deaths) AS job
                     ORDER BY job.at DESC LIMIT 5""", Map.of("within_hours", 24, "deaths", 2))
                    .finds(
                            first -> warn(
                                    "{crashes} times the node of job {id} (type '{type}', queue '{queue}') has died while the job ran"
                                            + (first.is("state", "running")
                                                    ? ", and it runs again."
                                                    : ": it is in quarantine."),
                                    "Look for what its handler may exhaust: memory, threads, a native library. Redrive or discard the job by JobAdmin when its handler is repaired.")),

            // Waiting jobs were enqueued so much later than now, so delays that began then last longer. Looks at the
            // 10,000 newest.
            check("clock-set-back", "The clock of the database has not been set back while jobs waited.")
                    .sql("""
                    SELECT count(*) AS jobs, ceil(extract(epoch FROM max(n.enqueued_at) - clock_timestamp())) AS seconds, min(n.due_at) AS first_due_at
                      FROM (SELECT enqueued_at, due_at, reason FROM rowlock.waiting ORDER BY id DESC LIMIT 10000) AS n
                     WHERE n.enqueued_at > clock_timestamp() + :later_seconds * interval '1 s'
                       AND n.reason NOT IN ('once-more', 'parents', 'policy') -- what they wait for is no time
                    HAVING count(*) > 0""", Map.of("later_seconds", 2))
                    .finds(
                            warn(
                                    "The clock of the database was set back by {seconds} s at least: {jobs} jobs that were enqueued before wait longer by as much.",
                                    "Let them wait, or bring them forward: JobAdmin.bringForward(JobFilter.where().time(JobTime.ENQUEUED, TimeRange.from(Instant.now())), Duration.ofSeconds({seconds})). Nothing tells a delay from a time that somebody named: leave such jobs out by the filter.")),

            // Ready jobs of a key in order have waited so long for one that is dead; first the key with the
            // most jobs.
            check("held-keys", "No key in order waits for a dead job.")
                    .sql("""
                    SELECT held.* FROM rowlock.queue_limit l
                     CROSS JOIN LATERAL (
                           SELECT d.queue, d.job_key, d.id, d.died_at,
                                  (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                                    WHERE r.queue = d.queue AND r.job_key = d.job_key LIMIT 1000) AS waiting) AS jobs
                             FROM (SELECT queue, job_key, id, died_at FROM rowlock.dead
                                    WHERE queue = l.queue AND job_key IS NOT NULL AND last_job > 0
                                    ORDER BY queue, job_key LIMIT 10000) AS d
                            WHERE d.died_at < clock_timestamp() - :dead_minutes * interval '1 min') AS held
                     WHERE l.in_order = 'hold' AND held.jobs > 0
                     ORDER BY held.jobs DESC, held.died_at LIMIT 5""", Map.of("dead_minutes", 10))
                    .finds(
                            warn(
                                    "{jobs} jobs of key '{job_key}' of queue '{queue}' wait for job {id}, which died at {died_at}: the queue runs its keys in order.",
                                    "Redrive the dead job, or discard it, by JobAdmin, or skip it by QueueLimits.skip. QueueLimits.blockedKeys lists all such keys.")),

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

            // A workflow goes on only if an operator acts: a step waits for the redrive of a job that died so long
            // ago, or one that is open has had nothing to do in a workflow of that age. Looks at the 1,000 oldest that
            // run.
            check("stalled-workflows", "No workflow waits for a redrive, or for an open step to be closed.")
                    .sql("""
                    WITH oldest AS MATERIALIZED (SELECT id, name, started_at FROM rowlock.workflow WHERE state = 'running' ORDER BY id LIMIT 1000)
                    SELECT w.id AS workflow, w.name, 'redrive' AS waits_for, dead.step, dead.job, dead.died_at AS since
                      FROM oldest w CROSS JOIN LATERAL (
                           SELECT parent.name AS step, d.id AS job, d.died_at FROM rowlock.workflow_edge e
                             JOIN rowlock.workflow_step child ON child.workflow_id = w.id AND child.step_no = e.child_no AND child.state = 'waiting'
                             JOIN rowlock.workflow_step parent ON parent.workflow_id = w.id AND parent.step_no = e.parent_no
                             JOIN rowlock.workflow_job m ON m.workflow_id = w.id AND m.failure = 1 AND m.step_no = e.parent_no
                             JOIN rowlock.dead d ON d.id = m.job_id
                            WHERE e.workflow_id = w.id AND e.runs_after = 'success-or-hold' LIMIT 1) AS dead
                     WHERE dead.died_at < clock_timestamp() - :dead_minutes * interval '1 min'
                    UNION ALL
                    SELECT w.id, w.name, 'close', open.step, NULL, w.started_at
                      FROM oldest w CROSS JOIN LATERAL (
                           SELECT s.name AS step FROM rowlock.workflow_step s
                            WHERE s.workflow_id = w.id AND s.accepts AND s.state = 'released'
                              AND NOT EXISTS (SELECT FROM rowlock.workflow_job m WHERE m.workflow_id = w.id AND m.state = 0 AND m.step_no = s.step_no) LIMIT 1) AS open
                     WHERE w.started_at < clock_timestamp() - :open_minutes * interval '1 min'
                     ORDER BY since LIMIT 5""", Map.of("dead_minutes", 10, "open_minutes", 24 * 60))
                    .finds(first -> first.is("waits_for", "close")
                            ? warn(
                                    "Workflow {workflow} '{name}' has run since {since}, and all jobs of its step '{step}' have ended, but the step is open for more.",
                                    "Close the step by Workflows.close, or cancel the workflow.")
                            : warn(
                                    "Workflow {workflow} '{name}' has waited since {since}, when job {job} of its step '{step}' died.",
                                    "Redrive the dead job, or cancel the workflow.")));

    private QueueChecks() {}
}
