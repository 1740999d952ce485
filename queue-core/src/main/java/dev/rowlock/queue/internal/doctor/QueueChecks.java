package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.fail;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.info;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.warn;
import static dev.rowlock.queue.internal.doctor.Check.check;
import static dev.rowlock.queue.internal.doctor.Look.sql;

import dev.rowlock.queue.spi.NodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Checks about what runs: nodes, chores, jobs, limits, policies and workflows. */
final class QueueChecks {

    private static final Duration HOUR = Duration.ofHours(1);

    /** In the order of their findings. */
    static final List<Check> ALL = List.of(
            queueWithoutNode(Duration.ofMinutes(1)),
            typeWithoutListener(Duration.ofMinutes(1)),
            stuckJobs(Duration.ofMinutes(1)),
            staleChore(20, HOUR),
            flappingLease(2, HOUR),
            deadJobs(100, HOUR),
            nodeKillers(2, Duration.ofDays(1)),
            clockSetBack(Duration.ofSeconds(2)),
            heldKeys(Duration.ofMinutes(10)),
            silentPolicies(),
            limitWithoutNode(Duration.ofMinutes(1)),
            stalledWorkflows(Duration.ofMinutes(10), Duration.ofDays(1)));

    private QueueChecks() {}

    // Nodes

    /**
     * {@code queues}, with the column {@code queue}, for {@code WITH RECURSIVE}: those that have ready jobs, one look at an index for each. Jobs with
     * keys have an index of their own.
     */
    private static final String READY_QUEUES = """
            plain_queue AS (
                (SELECT queue FROM rowlock.ready WHERE job_key IS NULL ORDER BY queue, rank, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM plain_queue q CROSS JOIN LATERAL (
                       SELECT r.queue FROM rowlock.ready r WHERE r.job_key IS NULL AND r.queue > q.queue
                        ORDER BY r.queue, r.rank, r.ready_at, r.id LIMIT 1) AS next
            ), keyed_queue AS (
                (SELECT queue FROM rowlock.ready WHERE job_key IS NOT NULL ORDER BY queue, job_key, rank, id LIMIT 1)
                UNION ALL
                SELECT next.* FROM keyed_queue q CROSS JOIN LATERAL (
                       SELECT r.queue FROM rowlock.ready r WHERE r.job_key IS NOT NULL AND r.queue > q.queue
                        ORDER BY r.queue, r.job_key, r.rank, r.id LIMIT 1) AS next
            ), queues AS (
                SELECT queue FROM plain_queue UNION SELECT queue FROM keyed_queue
            )
            """;

    /** Jobs have been ready for longer than this, and no living node serves their queue. Jobs that are paused do not count. */
    static Check queueWithoutNode(Duration longerThan) {
        String ready = """
                EXISTS (SELECT FROM rowlock.ready r
                         WHERE r.queue = q.queue AND r.job_key IS %sNULL AND r.ready_at < clock_timestamp() - ? * interval '1 ms'
                           AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'type' AND p.name = r.type))""";
        return check(
                "queue-without-node",
                "Every queue with ready jobs has a node.",
                sql(
                        "WITH RECURSIVE " + READY_QUEUES + """
                        SELECT q.queue FROM queues q
                         WHERE q.queue IS NOT NULL
                           AND NOT EXISTS (SELECT FROM rowlock.node n WHERE q.queue = ANY (n.queues)
                                              AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms')
                           AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = q.queue)
                           AND (%s OR %s)
                         LIMIT 5
                        """.formatted(ready.formatted(""), ready.formatted("NOT ")),
                        longerThan.toMillis(),
                        longerThan.toMillis()),
                first -> fail("Queue '%s' has ready jobs, and no living node serves it.".formatted(first.get("queue")))
                        .remedy(
                                "Start an application with a listener of this queue, or correct the name of the queue."));
    }

    /**
     * Nodes take the jobs of a queue and have no listener for some types: they publish those of their listeners with their retries. Jobs that are
     * paused do not count. It looks at the jobs that are due first, and at the front of each queue, so it stays quick.
     */
    static Check typeWithoutListener(Duration olderThan) {
        return check(
                "type-without-listener",
                "Every type with due jobs has a listener on a living node of its queue.",
                sql("WITH RECURSIVE " + READY_QUEUES + """
                        , put_aside AS (
                            SELECT w.queue, w.type, w.reason, w.enqueued_at AS since
                              FROM rowlock.waiting w
                             WHERE w.due_at < clock_timestamp() + interval '11 minutes' -- nodes put them aside for ten at most
                             ORDER BY w.due_at, w.id
                             LIMIT 10000
                        ), front AS (
                            SELECT q.queue, r.type, r.ready_at AS since
                              FROM queues q
                             CROSS JOIN LATERAL ((SELECT r.type, r.ready_at FROM rowlock.ready r
                                                   WHERE r.queue = q.queue AND r.job_key IS NULL ORDER BY r.rank, r.ready_at, r.id LIMIT 200)
                                                 UNION ALL
                                                 (SELECT r.type, r.ready_at FROM rowlock.ready r
                                                   WHERE r.queue = q.queue AND r.job_key IS NOT NULL
                                                   ORDER BY r.job_key, r.rank, r.id LIMIT 200)) AS r
                        ), kind AS (
                            SELECT queue, type, count(*) AS jobs, min(since) AS since
                              FROM (SELECT queue, type, since FROM put_aside
                                     WHERE reason = 'unknown-type' AND since < clock_timestamp() - ? * interval '1 ms'
                                    UNION ALL
                                    SELECT queue, type, since FROM front
                                     WHERE since < clock_timestamp() - ? * interval '1 ms') AS job
                             GROUP BY queue, type
                        )
                        SELECT k.type, k.queue, k.jobs, k.since
                          FROM kind k
                         WHERE EXISTS (SELECT FROM rowlock.node n WHERE k.queue = ANY (n.queues)
                                          AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms')
                           AND NOT EXISTS (SELECT FROM rowlock.node n WHERE k.queue = ANY (n.queues)
                                              AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                              AND (n.retries IS NULL OR n.retries -> k.type IS NOT NULL))
                           AND NOT EXISTS (SELECT FROM rowlock.pause p WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = k.queue
                                                                          OR p.kind = 'type' AND p.name = k.type)
                         ORDER BY k.jobs DESC, k.queue, k.type
                         LIMIT 5
                        """, olderThan.toMillis(), olderThan.toMillis()),
                first ->
                        fail("Queue '%s' has jobs of type '%s', and no living node of the queue has a listener for them."
                                        .formatted(first.get("queue"), first.get("type")))
                                .remedy(
                                        "Deploy a listener for the type, or add the name to the former names of its @JobType. If nobody needs the jobs, cancel them by JobAdmin."));
    }

    /** Jobs of a node that is gone, or silent for twice its lease, have waited for a rescue for longer than this. */
    static Check stuckJobs(Duration longerThan) {
        return check(
                "stuck-jobs",
                "No job waits for a rescue.",
                sql("""
                        SELECT r.node_id, coalesce(n.name, p.name, '') AS node, count(*) AS jobs, min(r.claimed_at) AS oldest_claim, n.id IS NULL AS gone,
                               EXISTS (SELECT FROM rowlock.node other
                                        WHERE other.heartbeat_at > clock_timestamp() - 2 * other.lease_millis * interval '1 ms') AS others_live
                          FROM rowlock.running r
                          LEFT JOIN rowlock.node n ON n.id = r.node_id
                          LEFT JOIN rowlock.past_node p ON p.id = r.node_id
                         WHERE n.id IS NULL AND coalesce(p.ended_at, r.claimed_at) < clock_timestamp() - ? * interval '1 ms'
                            OR n.heartbeat_at < clock_timestamp() - (2 * n.lease_millis + ?) * interval '1 ms'
                         GROUP BY r.node_id, n.id, coalesce(n.name, p.name, '')
                         ORDER BY jobs DESC
                         LIMIT 5
                        """, longerThan.toMillis(), longerThan.toMillis()),
                first -> {
                    boolean others = first.is("others_live");
                    return fail("%s jobs belong to node '%s' (%s), whose lease has run out, and %s."
                                    .formatted(
                                            first.get("jobs"),
                                            first.get("node"),
                                            first.get("node_id"),
                                            others
                                                    ? "no other node has taken them back"
                                                    : "no other node lives that would take them back"))
                            .remedy(
                                    others
                                            ? "Read in the logs of the nodes why their chores 'rescue' and 'stray jobs' fail."
                                            : "Start a node: it takes the jobs back by itself.");
                });
    }

    /**
     * What one node does for all has been begun by none for so many of its intervals, and at least for this time, though a node has lived that
     * long. A chore that walks through a large table begins a round less often.
     */
    static Check staleChore(int intervals, Duration atLeast) {
        return check(
                "stale-chore",
                "Nodes begin their chores in time.",
                sql("""
                        SELECT c.name, c.taken_at, c.due_at, clock_timestamp() - c.due_at AS overdue_for
                          FROM (SELECT name, taken_at, due_at, greatest(? * (due_at - taken_at), ? * interval '1 ms') AS allowed FROM rowlock.chore) AS c
                         WHERE c.due_at < clock_timestamp() - c.allowed
                           AND EXISTS (SELECT FROM rowlock.node n
                                        WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                                          AND n.started_at < clock_timestamp() - c.allowed)
                         ORDER BY c.due_at
                         LIMIT 5
                        """, intervals, atLeast.toMillis()),
                first -> warn("No node has begun the chore '%s' since %s, though nodes live."
                                .formatted(first.get("name"), first.get("taken_at")))
                        .remedy(
                                "Read the logs of the nodes, and take a thread dump: their janitors hang or fail. If it is a chore of a former release, delete its row of rowlock.chore."));
    }

    /** A chore of the node in this process fails, or does not get through. No table says so: a chore is taken before it is done. */
    static Check failingChore(Supplier<NodeStatus> node, Duration longerThan) {
        return check(
                "failing-chore",
                "No chore of this process fails or is far behind.",
                new OwnChores(node, longerThan),
                first -> first.has("behind")
                        ? warn("The chore '%s' of this process is far behind: the walk that it last completed began %s ago."
                                        .formatted(first.get("chore"), first.get("behind")))
                                .remedy(
                                        "It rests twenty times as long as it works. Look for what makes its statements slow, such as a transaction that holds back vacuum; its log lines name the chore if it fails.")
                        : warn("The chore '%s' of this process fails, and has not succeeded for long."
                                        .formatted(first.get("chore")))
                                .remedy("The log of this process says why: it names the chore."));
    }

    /** A node has lost its lease so often within this time. One that comes back after its lease has the same name. */
    static Check flappingLease(int times, Duration within) {
        return check(
                "flapping-lease",
                "No node has lost its lease again and again.",
                sql("""
                        SELECT p.name, count(*) AS times, max(p.ended_at) AS last_at
                          FROM rowlock.past_node p
                         WHERE p.expired AND p.ended_at > clock_timestamp() - ? * interval '1 ms'
                         GROUP BY p.name
                        HAVING count(*) >= ?
                         ORDER BY times DESC, p.name
                         LIMIT 5
                        """, within.toMillis(), times),
                first ->
                        warn("Node '%s' has lost its lease %s times within %d minutes, and its jobs began anew elsewhere each time."
                                        .formatted(first.get("name"), first.get("times"), within.toMinutes()))
                                .remedy(
                                        "Look for pauses of its garbage collector, for a starved processor or pool, and for restarts by the platform. A longer rowlock.worker.lease bridges pauses."));
    }

    // Jobs

    /** So many jobs have died of one error within this time. The message is not shown: it may quote a payload. */
    static Check deadJobs(int jobs, Duration within) {
        return check(
                "dead-jobs",
                "Few jobs have died lately.",
                sql("""
                        SELECT g.fingerprint, g.jobs, d.type, d.queue, coalesce(d.errors -> -1 ->> 'type', '') AS error, g.last_at
                          FROM (SELECT late.fingerprint, count(*) AS jobs, max(late.died_at) AS last_at, max(late.id) AS newest
                                  FROM (SELECT fingerprint, died_at, id FROM rowlock.dead
                                         WHERE died_at > clock_timestamp() - ? * interval '1 ms' AND state = 'failed'
                                         ORDER BY died_at DESC
                                         LIMIT 10000) AS late
                                 GROUP BY late.fingerprint
                                HAVING count(*) >= ?
                                 ORDER BY jobs DESC
                                 LIMIT 5) AS g
                          JOIN rowlock.dead d ON d.id = g.newest
                         ORDER BY g.jobs DESC
                        """, within.toMillis(), jobs),
                first -> warn("%s jobs have died of one error within %d minutes, the last one of type '%s': %s."
                                .formatted(
                                        first.get("jobs"), within.toMinutes(), first.get("type"), first.get("error")))
                        .remedy(
                                "Read the view failure or JobSearch.deadByError. Remove the cause, then redrive the jobs with fingerprint %s by JobAdmin."
                                        .formatted(first.get("fingerprint"))));
    }

    /** Waiting jobs were enqueued so much later than now, so delays that began then last longer. Looks at the 10,000 newest. */
    static Check clockSetBack(Duration tolerance) {
        return check(
                "clock-set-back",
                "The clock of the database has not been set back while jobs waited.",
                sql("""
                        SELECT count(*) AS jobs, ceil(extract(epoch FROM max(n.enqueued_at) - clock_timestamp())) AS seconds, min(n.due_at) AS first_due_at
                          FROM (SELECT enqueued_at, due_at, reason FROM rowlock.waiting ORDER BY id DESC LIMIT 10000) AS n
                         WHERE n.enqueued_at > clock_timestamp() + ? * interval '1 ms'
                           AND n.reason NOT IN ('once-more', 'parents', 'policy') -- what they wait for is no time
                        HAVING count(*) > 0
                        """, tolerance.toMillis()),
                first ->
                        warn("The clock of the database was set back by %s s at least: %s jobs that were enqueued before wait longer by as much."
                                        .formatted(first.get("seconds"), first.get("jobs")))
                                .remedy(
                                        "Let them wait, or bring them forward: JobAdmin.bringForward(JobFilter.where().time(JobTime.ENQUEUED, TimeRange.from(Instant.now())), Duration.ofSeconds(%s)). Nothing tells a delay from a time that somebody named: leave such jobs out by the filter."
                                                .formatted(first.get("seconds"))));
    }

    /** Jobs may take their nodes down: some were quarantined within this time, or run after their nodes have died so often. */
    static Check nodeKillers(int crashes, Duration within) {
        return check(
                "node-killers",
                "No job is suspected of taking its node down.",
                sql("""
                        SELECT job.state, job.id, job.type, job.queue, job.crashes, job.at
                          FROM (SELECT 'quarantined' AS state, late.id, late.type, late.queue, late.crashes, late.died_at AS at
                                  FROM (SELECT * FROM rowlock.dead
                                         WHERE died_at > clock_timestamp() - ? * interval '1 ms'
                                         ORDER BY died_at DESC
                                         LIMIT 10000) AS late
                                 WHERE late.state = 'quarantined'
                                UNION ALL
                                SELECT 'running', r.id, r.type, r.queue, r.crashes, r.claimed_at FROM rowlock.running r WHERE r.crashes >= ?) AS job
                         ORDER BY job.at DESC
                         LIMIT 5
                        """, within.toMillis(), crashes),
                first -> warn("%s times the node of job %s (type '%s', queue '%s') has died while the job ran%s."
                                .formatted(
                                        first.get("crashes"),
                                        first.get("id"),
                                        first.get("type"),
                                        first.get("queue"),
                                        first.get("state").equals("running")
                                                ? ", and it runs again"
                                                : ": it is in quarantine"))
                        .remedy(
                                "Look for what its handler may exhaust: memory, threads, a native library. Redrive or discard the job by JobAdmin when its handler is repaired."));
    }

    /** Ready jobs of a key in order have waited so long for one that has failed for good; first the key with the most jobs. */
    static Check heldKeys(Duration longerThan) {
        return check(
                "held-keys",
                "No key in order waits for a failed job.",
                sql("""
                        SELECT held.*
                          FROM rowlock.queue_limit l
                         CROSS JOIN LATERAL (
                               SELECT d.queue, d.job_key, d.id, d.died_at,
                                      (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                                        WHERE r.queue = d.queue AND r.job_key = d.job_key LIMIT 1000) AS waiting) AS jobs
                                 FROM (SELECT queue, job_key, id, died_at FROM rowlock.dead
                                        WHERE queue = l.queue AND job_key IS NOT NULL AND last_job > 0
                                        ORDER BY queue, job_key LIMIT 10000) AS d
                                WHERE d.died_at < clock_timestamp() - ? * interval '1 ms') AS held
                         WHERE l.in_order = 'hold' AND held.jobs > 0
                         ORDER BY held.jobs DESC, held.died_at
                         LIMIT 5
                        """, longerThan.toMillis()),
                first ->
                        warn("%s jobs of key '%s' of queue '%s' wait for job %s, which failed at %s: the queue runs its keys in order."
                                        .formatted(
                                                first.get("jobs"),
                                                first.get("job_key"),
                                                first.get("queue"),
                                                first.get("id"),
                                                first.get("died_at")))
                                .remedy(
                                        "Redrive the job that failed, or discard it, by JobAdmin, or skip it by QueueLimits.skip. QueueLimits.blockedKeys lists all such keys."));
    }

    /** A policy of the application gives no good answer, or is not asked any more while jobs wait for it. */
    static Check silentPolicies() {
        return check("silent-policies", "Each policy that is asked answers.", sql("""
                        SELECT p.queue, p.decides_until AS since, coalesce(n.name, 'none') AS node,
                               p.asked_at > clock_timestamp() - interval '1 min' AS asked, l.in_order IS NOT NULL AS in_order
                          FROM rowlock.policy p
                          LEFT JOIN rowlock.queue_limit l ON l.queue = p.queue
                          LEFT JOIN rowlock.node n ON n.id = p.node_id
                         WHERE (p.decides_until < clock_timestamp() OR l.in_order IS NOT NULL)
                           AND (p.asked_at > clock_timestamp() - interval '1 min'
                                OR EXISTS (SELECT FROM rowlock.held_job h WHERE h.queue = p.queue))
                         ORDER BY p.decides_until
                         LIMIT 5
                        """), first -> {
            if (first.is("in_order")) {
                return warn("The policy of queue '%s' is not asked, because jobs of each key run in order."
                                .formatted(first.get("queue")))
                        .remedy("Remove in-order from the queue, or the policy.");
            }
            return first.is("asked")
                    ? warn("The policy of queue '%s' has given no good answer since %s: its jobs run in their normal order."
                                    .formatted(first.get("queue"), first.get("since")))
                            .remedy(
                                    "The log of node '%s' says why: the policy throws, hangs, or chooses what it may not."
                                            .formatted(first.get("node")))
                    : warn("No node has asked the policy of queue '%s' since %s, and jobs still wait for it: nodes are letting them go."
                                    .formatted(first.get("queue"), first.get("since")))
                            .remedy("If the policy is still wanted, start a node that has it.");
        });
    }

    /**
     * A queue that no living node serves has a limit that was set at run time so long ago, a policy that decides, or keys with a weight: its name may be
     * misspelt. Its nodes may be away as well, so nothing is wrong for sure. What applications declare does not count: it stays while the last
     * node is away. Weights may be many, of few queues: one look for each queue.
     */
    static Check limitWithoutNode(Duration longerThan) {
        return check(
                "limit-without-node",
                "Every queue with a limit, a policy or weights has a node.",
                sql("""
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
                             WHERE NOT declared AND changed_at < clock_timestamp() - ? * interval '1 ms'
                            UNION ALL
                            SELECT queue, 'a policy' FROM rowlock.policy WHERE decides_until > clock_timestamp()
                            UNION ALL
                            SELECT queue, 'keys with a weight' FROM weighted
                        )
                        SELECT queue, rule, (SELECT string_agg(queue, ', ' ORDER BY queue) FROM (SELECT queue FROM served ORDER BY queue LIMIT 50) AS names) AS served
                          FROM rule
                         WHERE queue NOT IN (SELECT queue FROM served) AND EXISTS (SELECT FROM served)
                         ORDER BY queue, rule
                         LIMIT 5
                        """, longerThan.toMillis()),
                first -> info("Queue '%s' has %s, and no living node serves it. Nodes serve: %s."
                                .formatted(first.get("queue"), first.get("rule"), first.get("served")))
                        .remedy(
                                "If the name of the queue is misspelt, take it back: QueueLimits.remove, or a weight of 1, or another queue() of the policy."));
    }

    /**
     * A workflow goes on only if an operator acts: a step waits for the redrive of a job that failed so long ago, or one that is open has had nothing
     * to do in a workflow of that age. Looks at the 1,000 oldest that run.
     *
     * @param failedFor since the job failed
     * @param openFor since the workflow of an open step was started
     */
    static Check stalledWorkflows(Duration failedFor, Duration openFor) {
        return check(
                "stalled-workflows",
                "No workflow waits for a redrive, or for an open step to be closed.",
                sql("""
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
                        """, failedFor.toMillis(), openFor.toMillis()),
                first -> {
                    String workflow = "Workflow %s '%s'".formatted(first.get("workflow"), first.get("name"));
                    return first.get("waits_for").equals("close")
                            ? warn("%s has run since %s, and all jobs of its step '%s' have ended, but the step is open for more."
                                            .formatted(workflow, first.get("since"), first.get("step")))
                                    .remedy("Close the step by Workflows.close, or cancel the workflow.")
                            : warn("%s has waited since %s, when job %s of its step '%s' failed."
                                            .formatted(
                                                    workflow, first.get("since"), first.get("job"), first.get("step")))
                                    .remedy("Redrive the job that failed, or cancel the workflow.");
                });
    }
}
