package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Verdict;
import dev.rowlock.queue.doctor.Verdict.Reason;
import dev.rowlock.queue.doctor.Verdict.Status;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.doctor.Check.Diagnosis;
import dev.rowlock.queue.internal.doctor.Check.Found;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.settings.LateAfter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.core.NestedExceptionUtils;

/**
 * Which queues are late, and what holds them up: paused, without a node, all handlers busy for long, nothing runs, or simply more comes than runs. What
 * has waited since when is what one node measures for all each 15 seconds; the rest is looked up for late queues only.
 */
final class LateQueues {

    /** Measured each 15 s, or less often where that takes long: a minute at most. */
    private static final Duration MEASURED_WITHIN = Duration.ofMinutes(2);

    /** One row: what must be known before the answer for single queues is worth anything. */
    private static final String CLUSTER = """
            SELECT EXISTS (SELECT FROM rowlock.node n WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms') AS nodes_live,
                   EXISTS (SELECT FROM rowlock.ready) AS jobs_ready,
                   EXISTS (SELECT FROM rowlock.node n
                            WHERE n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms'
                              AND n.started_at < clock_timestamp() - :measured_millis * interval '1 ms')
                   AND NOT EXISTS (SELECT FROM rowlock.depth d WHERE d.measured_at > clock_timestamp() - :measured_millis * interval '1 ms') AS unmeasured""";

    /** A row for each late queue, those that have waited longest if there are many: only these are looked at closely. */
    private static final String LATE = """
            WITH late AS MATERIALIZED (
                SELECT d.queue, d.jobs, d.oldest_at, own.millis
                  FROM rowlock.depth d
                 CROSS JOIN LATERAL (SELECT coalesce((SELECT l.millis FROM unnest(:queues::text[], :queue_millis::bigint[]) AS l (queue, millis)
                                                       WHERE l.queue = d.queue), :late_millis) AS millis) AS own
                 WHERE d.room = 'ready' AND d.jobs > 0 AND d.oldest_at < clock_timestamp() - own.millis * interval '1 ms'
                   AND (EXISTS (SELECT FROM rowlock.ready r WHERE r.queue = d.queue AND r.job_key IS NULL)
                     OR EXISTS (SELECT FROM rowlock.ready r WHERE r.queue = d.queue AND r.job_key IS NOT NULL))
                 ORDER BY d.oldest_at LIMIT 100
            )
            SELECT l.queue, l.jobs, extract(epoch FROM clock_timestamp() - l.oldest_at)::bigint AS waited, l.millis AS late_millis,
                   extract(epoch FROM clock_timestamp() - p.paused_at)::bigint AS paused, p.who, p.why, coalesce(front.paused_types, '') AS paused_types, coalesce(front.id::text, '') AS first_job,
                   served.nodes, served.slots, run.jobs AS running, coalesce(run.oldest, '') AS oldest_running,
                   coalesce(extract(epoch FROM clock_timestamp() - run.newest_claim)::bigint, 0) AS since_claim,
                   CASE WHEN q.queue IS NULL THEN '' WHEN q.declared THEN ', limited by its application'
                        ELSE ', limited at run time by ' || coalesce(q.who, 'somebody') END AS limited,
                   coalesce(extract(epoch FROM clock_timestamp() - q.changed_at)::bigint, 0) AS limited_for, coalesce(q.rate_jobs, q.key_rate_jobs) IS NOT NULL AS rated
              FROM late l
              LEFT JOIN LATERAL (SELECT p.paused_at, p.who, p.why FROM rowlock.pause p
                                  WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = l.queue
                                  ORDER BY p.paused_at LIMIT 1) AS p ON true
              LEFT JOIN rowlock.queue_limit q ON q.queue = l.queue
             CROSS JOIN LATERAL (SELECT count(*) AS nodes, coalesce(sum(n.slots[array_position(n.queues, l.queue)]), 0) AS slots FROM rowlock.node n
                                  WHERE l.queue = ANY (n.queues) AND n.heartbeat_at > clock_timestamp() - 2 * n.lease_millis * interval '1 ms') AS served
             CROSS JOIN LATERAL (SELECT count(*) AS jobs, max(r.claimed_at) AS newest_claim,
                                        (SELECT string_agg(first.id::text, ', ' ORDER BY first.claimed_at, first.id)
                                           FROM (SELECT o.id, o.claimed_at FROM rowlock.running o WHERE o.queue = l.queue ORDER BY o.claimed_at, o.id LIMIT 3) AS first) AS oldest
                                   FROM rowlock.running r WHERE r.queue = l.queue) AS run
             CROSS JOIN LATERAL (
                   -- The paused types of the first jobs; null if one of them may run.
                   SELECT CASE WHEN count(*) = count(t.name) THEN string_agg(DISTINCT t.name, ', ') END AS paused_types, min(r.id) AS id
                     FROM ((SELECT r.id, r.type FROM rowlock.ready r
                             WHERE r.queue = l.queue AND r.job_key IS NULL ORDER BY r.rank, r.ready_at, r.id LIMIT 200)
                           UNION ALL
                           (SELECT r.id, r.type FROM rowlock.ready r
                             WHERE r.queue = l.queue AND r.job_key IS NOT NULL ORDER BY r.job_key, r.rank, r.id LIMIT 200)) AS r
                     LEFT JOIN rowlock.pause t ON t.kind = 'type' AND t.name = r.type) AS front
             ORDER BY l.oldest_at""";

    private final Map<String, Object> values;

    LateQueues(LateAfter lateAfter) {
        List<Map.Entry<String, Duration>> queues =
                lateAfter.queues().entrySet().stream().toList();
        this.values = Map.of(
                "queues",
                queues.stream().map(Map.Entry::getKey).toArray(String[]::new),
                "queue_millis",
                queues.stream().map(queue -> queue.getValue().toMillis()).toArray(Long[]::new),
                "late_millis",
                lateAfter.usual().toMillis(),
                "measured_millis",
                MEASURED_WITHIN.toMillis());
    }

    /** The doctor's: of the worst queue, with others beside it as evidence. */
    Check check() {
        return Check.check("late-queue", "No job that may run has waited for long.")
                .look(LATE, statement -> worstFirst(statement.list(Check::asText)))
                .values(values)
                .finds(found -> diagnosis(judge(found)));
    }

    /** In a transaction of the caller that only reads. */
    Verdict verdict(Connection connection, UnaryOperator<String> sql) throws SQLException {
        Found cluster = found(
                ColdStatement.on(connection, sql.apply(CLUSTER)).set(values).only(Check::asText));
        if (!cluster.is("nodes_live") && cluster.is("jobs_ready")) {
            return Verdict.of(List.of(new Reason(
                    Status.STUCK, null, "No node lives, and jobs are ready.", "Start an application with listeners.")));
        }
        if (cluster.is("unmeasured")) {
            return Verdict.of(
                    List.of(
                            new Reason(
                                    Status.BLIND,
                                    null,
                                    "Nodes live, and none has measured the queues for two minutes.",
                                    "Read what their logs say of the chore 'depth'; ask the doctor for locks and for what makes statements slow.")));
        }
        return Verdict.of(
                ColdStatement.on(connection, sql.apply(LATE)).set(values).list(row -> judge(found(Check.asText(row)))));
    }

    /** Where the database does not say. */
    static Verdict unseen(RuntimeException e) {
        return Verdict.of(
                List.of(
                        new Reason(
                                Status.BLIND,
                                null,
                                "The database does not answer: %s."
                                        .formatted(NestedExceptionUtils.getMostSpecificCause(e)
                                                .getMessage()),
                                "Look whether it is up, whether this process gets connections, and whether its role may read the tables of Rowlock.")));
    }

    private static List<Map<String, String>> worstFirst(List<Map<String, String>> queues) {
        return queues.stream()
                .sorted(Comparator.comparing((Map<String, String> queue) ->
                                judge(found(queue)).status())
                        .reversed())
                .toList();
    }

    private static Found found(Map<String, String> row) {
        return new Found(List.of(row), Map.of());
    }

    private static Diagnosis diagnosis(Reason reason) {
        return reason.status() == Status.STUCK
                ? Diagnosis.fail(reason.cause(), reason.remedy())
                : Diagnosis.warn(reason.cause(), reason.remedy());
    }

    /** The first cause that explains it. */
    private static Reason judge(Found queue) {
        String name = queue.get("queue");
        String waits = "Jobs of queue '%s' have waited for %s: ".formatted(name, text(queue, "waited"));
        if (!queue.is("paused", "null")) {
            String why = queue.is("why", "null") ? "" : " (%s)".formatted(queue.get("why"));
            return new Reason(
                    Status.LATE,
                    name,
                    waits
                            + "it has been paused for %s by %s%s."
                                    .formatted(text(queue, "paused"), queue.get("who"), why),
                    "Resume it by JobAdmin, or on the dashboard.");
        }
        if (!queue.get("paused_types").isEmpty()) {
            return new Reason(
                    Status.LATE,
                    name,
                    waits + "they are of types that are paused (%s).".formatted(queue.get("paused_types")),
                    "Resume the types by JobAdmin, or on the dashboard.");
        }
        if (queue.number("nodes") == 0) {
            return new Reason(
                    Status.STUCK,
                    name,
                    waits + "no living node serves it.",
                    "Start an application with a listener of this queue, or correct the name of the queue.");
        }
        String explain = "JobSearch.explain(%s), the page of the job, and /actuator/rowlock/job/%s say why it waits."
                .formatted(queue.get("first_job"), queue.get("first_job"));
        if (queue.number("running") == 0 && !queue.is("rated")) {
            return new Reason(
                    Status.STUCK,
                    name,
                    waits + "none of it runs, though living nodes serve it (%s).".formatted(queue.get("nodes")),
                    explain);
        }
        if (queue.number("running") > 0
                && queue.number("since_claim") * 1000 > queue.number("late_millis")
                && !queue.is("rated")) {
            return new Reason(
                    Status.STUCK,
                    name,
                    waits
                            + "the %s that it runs (%s slots) have run for %s or longer, and none has begun since; the oldest are %s."
                                    .formatted(
                                            queue.get("running"),
                                            queue.get("slots"),
                                            text(queue, "since_claim"),
                                            queue.get("oldest_running")),
                    "Their logs (on their pages, or JobSearch.log) show after five minutes where their handlers stand, such as in a call without a time limit; give the listener a timeout, or cancel them. If they are meant to take so long, give the queue more slots.");
        }
        boolean limited = !queue.get("limited").isEmpty();
        return new Reason(
                Status.LATE,
                name,
                waits
                        + "more comes than it runs (%s at once, %s slots%s%s)."
                                .formatted(
                                        queue.get("running"),
                                        queue.get("slots"),
                                        queue.get("limited"),
                                        limited ? " for " + text(queue, "limited_for") : ""),
                "Give it more slots or nodes%s. %s".formatted(limited ? ", or change its limit" : "", explain));
    }

    private static String text(Found row, String seconds) {
        return DurationText.rough(Duration.ofSeconds((long) row.number(seconds)));
    }
}
