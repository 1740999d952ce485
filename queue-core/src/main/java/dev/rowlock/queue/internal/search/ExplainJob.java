package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.BegunJobs;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.policy.PolicyStatements;
import dev.rowlock.queue.internal.text.CountText;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.search.Explanation;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks for what holds up one job, in one statement; another one tells of steps, of the pace, or of the end. */
public final class ExplainJob {

    /** Jobs before it are counted up to this. */
    private static final int MOST = 10_000;

    /** Other keys are counted up to this: each is a look of its own. */
    private static final int MOST_KEYS = 100;

    private static final String SQL = """
            WITH job AS MATERIALIZED (
                SELECT id, state, queue, job_key, type, -priority AS rank, due_at, reason, node_id, claimed_at, deadline, attempt, cancel_requested
                  FROM rowlock.jobs_by_id(ARRAY[:id::bigint])
            ), living AS MATERIALIZED (
                SELECT n.* FROM rowlock.node n, job j
                 WHERE j.queue = ANY (n.queues) AND n.heartbeat_at > clock_timestamp() - n.lease_millis * interval '1 ms'
            )
            SELECT j.*, greatest(0, extract(epoch FROM j.due_at - clock_timestamp())) AS due_in,
                   (SELECT string_agg(CASE kind WHEN 'everything' THEN 'everything' ELSE kind || ' ''' || name || '''' END
                                      || ' has been paused since ' || to_char(paused_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC by ' || who
                                      || coalesce(' (' || why || ')', ''), ', and ' ORDER BY kind)
                      FROM rowlock.pause p
                     WHERE p.kind = 'everything' OR p.kind = 'queue' AND p.name = j.queue OR p.kind = 'type' AND p.name = j.type) AS pauses,
                   (SELECT count(*) FROM living) AS nodes,
                   (SELECT count(*) FROM living l WHERE l.retries IS NULL OR l.retries -> j.type IS NOT NULL) AS listening,
                   (SELECT o.after_id FROM rowlock.once_more o WHERE o.job_id = j.id) AS after_id,
                   (SELECT n.name FROM rowlock.node n
                     WHERE n.id = p.node_id AND n.heartbeat_at > clock_timestamp() - n.lease_millis * interval '1 ms') AS policy_node,
                   p.decides_until BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 min' AS policy_decides,
                   -- A good answer sets both times; a try without one moves the second alone.
                   p.asked_at > p.decides_until - now.hold + interval '0.5 s' AS policy_fails,
                   extract(epoch FROM clock_timestamp() - (p.decides_until - now.hold)) AS policy_age,
                   to_char((p.decides_until - now.hold) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' AS policy_since,
                   to_char(p.decides_until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' AS policy_until,
                   l.in_order, l.max_running, CASE WHEN l.in_order IS NULL THEN l.max_running_per_key ELSE 1 END AS max_running_per_key, l.burst_per_key,
                   (SELECT 'job ' || w.id || ' of its key is tried again at ' || to_char(w.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' FROM rowlock.waiting w
                     WHERE l.in_order IS NOT NULL AND w.queue = j.queue AND w.job_key = j.job_key
                       AND %s
                     ORDER BY w.id LIMIT 1) AS held_by_waiting,
                   (SELECT 'job ' || d.id || ' of its key is dead: redrive, skip or discard it' FROM rowlock.dead d
                     WHERE l.in_order = 'hold' AND d.queue = j.queue AND d.job_key = j.job_key AND d.last_job > 0
                     ORDER BY d.queue, d.job_key, d.last_job LIMIT 1) AS held_by_dead,
                   (SELECT 'job ' || h.id || ' of its key comes first, whose type ''' || h.type || ''' has been paused since '
                           || to_char(p.paused_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC by ' || p.who || coalesce(' (' || p.why || ')', '')
                           || ': resume the type, or cancel that job'
                      FROM rowlock.pause p
                     WHERE h.id <> j.id AND h.type <> j.type AND p.kind = 'type' AND p.name = h.type) AS held_by_paused,
                   l.rate_jobs AS queue_rate_jobs, l.rate_millis AS queue_rate_millis, l.rate_burst AS queue_rate_burst,
                   rowlock.rate_wait(l.rate_jobs, l.rate_millis, l.rate_burst, q.next_at, NULL, now.at) AS queue_waits,
                   rowlock.rate_valid(l.rate_jobs, l.rate_millis, l.rate_burst, q.next_at, now.at) - now.at AS queue_next_in,
                   q.held_until - now.at AS queue_held_for,
                   to_char(to_timestamp(q.held_until) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' AS queue_held_until,
                   l.key_rate_jobs, l.key_rate_millis, l.key_rate_burst,
                   rowlock.rate_wait(l.key_rate_jobs, l.key_rate_millis, l.key_rate_burst, k.next_at, NULL, now.at) AS key_waits,
                   rowlock.rate_valid(l.key_rate_jobs, l.key_rate_millis, l.key_rate_burst, k.next_at, now.at) - now.at AS key_next_in,
                   k.held_until - now.at AS key_held_for,
                   to_char(to_timestamp(k.held_until) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' AS key_held_until,
                   (SELECT count(*) FROM rowlock.running r WHERE r.queue = j.queue AND r.gate IS NOT NULL) AS running,
                   CASE WHEN l.max_running IS NOT NULL
                        THEN ARRAY(SELECT r.id FROM rowlock.running r WHERE r.queue = j.queue AND r.gate IS NOT NULL ORDER BY r.token LIMIT :holders) END AS of_queue,
                   CASE WHEN l.burst_per_key IS NOT NULL AND (SELECT bool_and(n.slots IS NOT NULL) FROM living n)
                        THEN (SELECT sum(n.slots[array_position(n.queues, j.queue)]) FROM living n)
                             - (SELECT count(*) FROM rowlock.running r WHERE r.queue = j.queue) END AS idle_slots,
                   CASE WHEN j.job_key IS NOT NULL
                        THEN ARRAY(SELECT r.id FROM rowlock.running r WHERE r.queue = j.queue AND r.gate = j.job_key ORDER BY r.token) END AS of_key,
                   CASE WHEN j.state <> 'ready' THEN 0
                        WHEN j.job_key IS NULL
                        THEN (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                               WHERE r.queue = j.queue AND r.job_key IS NULL AND (r.rank, r.ready_at, r.id) < (j.rank, j.due_at, j.id) LIMIT :most) AS before)
                        ELSE (SELECT count(*) FROM (SELECT FROM rowlock.ready r
                               WHERE r.queue = j.queue AND r.job_key = j.job_key AND (r.rank, r.id) < (j.rank, j.id)
                                 AND h.id IS DISTINCT FROM j.id LIMIT :most) AS before)
                             + CASE WHEN (h.rank, h.id) > (j.rank, j.id) THEN 1 ELSE 0 END
                   END AS before,
                   CASE WHEN j.state = 'ready' AND j.job_key IS NOT NULL
                        THEN (WITH RECURSIVE walk AS (
                                  SELECT '' COLLATE "C" AS job_key, 0 AS number
                                  UNION ALL
                                  SELECT (SELECT r.job_key FROM rowlock.ready r
                                           WHERE r.queue = j.queue AND r.job_key > w.job_key ORDER BY r.queue, r.job_key LIMIT 1), w.number + 1
                                    FROM walk w WHERE w.job_key IS NOT NULL AND w.number <= :most_keys)
                              SELECT count(*) FROM walk WHERE number > 0 AND job_key IS NOT NULL AND job_key <> j.job_key) END AS other_keys,
                   coalesce((SELECT n.name FROM rowlock.node n WHERE n.id = j.node_id),
                            (SELECT p.name FROM rowlock.past_node p WHERE p.id = j.node_id)) AS node,
                   (SELECT n.heartbeat_at > clock_timestamp() - n.lease_millis * interval '1 ms' FROM rowlock.node n WHERE n.id = j.node_id) AS node_lives
              FROM job j LEFT JOIN rowlock.queue_limit l ON l.queue = j.queue
                   LEFT JOIN rowlock.policy p ON j.reason = 'policy' AND p.queue = j.queue
                   LEFT JOIN LATERAL (
                        SELECT s.next_at, s.held_until FROM rowlock.rate_state s
                         WHERE l.rate_jobs IS NOT NULL AND s.queue = j.queue AND s.gate = ''
                         ORDER BY s.number DESC LIMIT 1) AS q ON true
                   LEFT JOIN LATERAL (
                        SELECT s.next_at, s.held_until FROM rowlock.rate_state s
                         WHERE l.key_rate_jobs IS NOT NULL AND s.queue = j.queue AND s.gate = j.job_key
                         ORDER BY s.number DESC LIMIT 1) AS k ON true
                   -- Which job of a key in order begins first: as the claim chooses it.
                   LEFT JOIN LATERAL (
                        SELECT r.id, r.rank, r.type FROM rowlock.ready r
                         WHERE l.in_order IS NOT NULL
                           AND r.ctid = coalesce(
                               (SELECT b.ctid FROM rowlock.ready b
                                 WHERE b.queue = j.queue AND b.job_key = j.job_key AND (b.attempt > 0 OR b.crashes > 0)
                                 ORDER BY b.queue, b.job_key, b.id LIMIT 1),
                               (SELECT f.ctid FROM rowlock.ready f
                                 WHERE f.queue = j.queue AND f.job_key = j.job_key
                                 ORDER BY f.queue, f.job_key, f.rank, f.id LIMIT 1))
                        ) AS h ON j.state = 'ready',
                   (SELECT extract(epoch FROM clock_timestamp())::double precision AS at, :hold_millis * interval '1 ms' AS hold) AS now
            """.formatted(BegunJobs.waiting("w"));

    /** So many ended jobs are looked at, of all queues. */
    private static final int MOST_ENDED = 10_000;

    private static final String PACE = """
            SELECT count(*), extract(epoch FROM clock_timestamp() - min(finished_at)) AS seconds
              -- No other condition in here: with one, it would read on until it has found so many.
              FROM (SELECT queue, job_key, state, finished_at FROM rowlock.done WHERE finished_at >= :since ORDER BY id DESC LIMIT :most) AS youngest
             WHERE finished_at > clock_timestamp() - interval '1 minute' AND state = 'completed'
               AND queue = :queue AND (:key::text IS NULL OR job_key = :key)
            """;

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Times vary: a few jobs say nothing about those that come. */
    private static final int FEWEST = 5;

    private final BoundedSearch bounded;

    /** Reads all that says why a job waits. */
    private final String sql;

    /** Measures in what time so many jobs end, as jobs of the queue, or of the key in it, did in the last minute. */
    private final String pace;

    private final ExplainSteps steps;
    private final ExplainEnd end;

    public ExplainJob(BoundedSearch bounded) {
        this.bounded = bounded;
        this.sql = bounded.database().sql(SQL);
        this.pace = bounded.database().sql(PACE);
        this.steps = new ExplainSteps(bounded.database());
        this.end = new ExplainEnd(bounded.database());
    }

    /** Empty: there is no such job. */
    public Optional<Explanation> run(long id) {
        return bounded.run(
                "what holds up job " + id,
                connection -> ColdStatement.on(connection, sql)
                        .set("id", id)
                        .set("holders", ExplainLimits.MOST)
                        .set("most", MOST)
                        .set("most_keys", MOST_KEYS)
                        .set("hold_millis", PolicyStatements.HOLD.toMillis())
                        .first(row -> explanation(row, connection)));
    }

    private Explanation explanation(ResultSet row, Connection connection) throws SQLException {
        JobState state = JobState.of(row.getString("state"));
        List<Reason> reasons = new ArrayList<>();
        switch (state) {
            case WAITING -> waiting(row, reasons, connection);
            case READY -> ready(row, reasons, connection);
            case RUNNING -> running(row, reasons);
            default -> reasons.add(new Reason(Kind.ENDED, end.run(connection, row.getLong("id"))));
        }
        return new Explanation(row.getLong("id"), state, reasons);
    }

    private void waiting(ResultSet row, List<Reason> reasons, Connection connection) throws SQLException {
        long after = row.getLong("after_id");
        if (!row.wasNull()) {
            add(reasons, Kind.AFTER_OTHER_JOB, "It waits for the end of job %d, which has its unique key.", after);
        } else if (WaitReason.PARENTS.label().equals(row.getString("reason"))) {
            for (String sentence : steps.run(connection, row.getLong("id"))) {
                reasons.add(new Reason(Kind.AFTER_STEPS, sentence));
            }
        } else if (WaitReason.POLICY.label().equals(row.getString("reason"))) {
            reasons.add(ExplainLimits.policy(row));
        } else if (row.getDouble("due_in") > 0) {
            add(
                    reasons,
                    Kind.DUE_LATER,
                    "It is due at %s, in %.0f s (%s; attempts so far: %d).",
                    row.getString("due_at"),
                    row.getDouble("due_in"),
                    dueFor(row.getString("reason")),
                    row.getInt("attempt"));
        } else {
            add(reasons, Kind.DUE, "It is due since %s; nodes move it to ready.", row.getString("due_at"));
        }
        common(row, reasons);
    }

    private void ready(ResultSet row, List<Reason> reasons, Connection connection) throws SQLException {
        common(row, reasons);
        ExplainLimits.addLimits(row, reasons);
        order(row, reasons);
        ExplainLimits.addRates(row, reasons);
        long before = row.getLong("before");
        if (before > 0) {
            add(
                    reasons,
                    Kind.BEHIND_OTHERS,
                    "%s%s of its %s %s before it%s.",
                    before == MOST ? "at least " : "",
                    CountText.of(before, "job"),
                    row.getString("job_key") == null ? "queue" : "key",
                    before == 1 ? "comes" : "come",
                    estimate(row, before, connection));
        }
        int keys = row.getInt("other_keys");
        if (keys > 0 && reasons.stream().allMatch(reason -> reason.kind() == Kind.BEHIND_OTHERS)) {
            add(
                    reasons,
                    Kind.BEHIND_OTHERS,
                    "Its key takes turns with %s%s of its queue that %s jobs ready.",
                    keys >= MOST_KEYS ? "at least " : "",
                    CountText.of(keys, "other key"),
                    keys == 1 ? "has" : "have");
        }
        if (reasons.isEmpty()) {
            int nodes = row.getInt("nodes");
            add(
                    reasons,
                    Kind.NEXT,
                    "Nothing holds it up: %s claims it as soon as it has a free thread.",
                    nodes == 1 ? "the node of its queue" : "one of " + nodes + " nodes");
        }
    }

    /** The pace, or where they say more, rates and slow-downs. Those say nothing of a limit on jobs that run at once. */
    private String estimate(ResultSet row, long before, Connection connection) throws SQLException {
        Optional<Duration> time = timeFor(connection, before, row.getString("queue"), row.getString("job_key"));
        double held = ExplainLimits.heldFor(row);
        double earliest = ExplainLimits.earliest(row, before);
        double atPace = time.map(Duration::toMillis).orElse(0L) / 1_000.0;
        if (earliest > held + atPace && (time.isPresent() || !ExplainLimits.any(row))) {
            return "; it can begin in %s at the earliest".formatted(ExplainLimits.seconds(earliest));
        }
        return time.isEmpty()
                ? ""
                : "; %sat the pace of the last minute they take %d s"
                        .formatted(
                                held > 0 ? "after the slow-down, " : "",
                                Math.max(1, time.get().toSeconds()));
    }

    /**
     * In what time so many jobs end, if they end as quickly as jobs of the queue, or of the key in it, have in the last minute. Of the jobs that
     * have ended it looks at those that were enqueued last, up to a number, so its cost does not grow. Empty where too few have
     * ended, or nothing is kept of jobs that have.
     *
     * @param key null: all jobs of the queue count
     */
    private Optional<Duration> timeFor(Connection connection, long jobs, String queue, @Nullable String key)
            throws SQLException {
        return ColdStatement.on(connection, pace)
                .set(
                        "since",
                        BoundedSearch.ago(connection, MINUTE).truncatedTo(ChronoUnit.DAYS)) // where partitions begin
                .set("most", MOST_ENDED)
                .set("queue", queue)
                .set("key", key)
                .only(row -> {
                    long ended = row.getLong(1);
                    double seconds = row.getDouble("seconds");
                    return ended < FEWEST || seconds <= 0
                            ? Optional.empty()
                            : Optional.of(Duration.ofMillis(Math.round(1_000 * seconds * jobs / ended)));
                });
    }

    /** What holds up jobs of any room. */
    private static void common(ResultSet row, List<Reason> reasons) throws SQLException {
        String pauses = row.getString("pauses");
        if (pauses != null) {
            add(reasons, Kind.PAUSED, "%s.", pauses);
        }
        if (row.getInt("nodes") == 0) {
            add(reasons, Kind.NO_NODE, "No living node runs jobs of queue '%s'.", row.getString("queue"));
        } else if (row.getInt("listening") == 0) {
            int nodes = row.getInt("nodes");
            add(
                    reasons,
                    Kind.NO_LISTENER,
                    "%s of its queue has a listener for type '%s'.",
                    nodes == 1 ? "No node" : "None of the " + nodes + " nodes",
                    row.getString("type"));
        }
    }

    private static void order(ResultSet row, List<Reason> reasons) throws SQLException {
        for (String holder : new String[] {"held_by_waiting", "held_by_dead", "held_by_paused"}) {
            if (row.getString(holder) != null) {
                add(reasons, Kind.KEY_HELD, "Jobs of a key run in order, and %s.", row.getString(holder));
            }
        }
    }

    private static void running(ResultSet row, List<Reason> reasons) throws SQLException {
        boolean lives = row.getBoolean("node_lives");
        add(
                reasons,
                Kind.RUNNING,
                "Node '%s' has claimed it at %s, attempt %d%s%s.",
                row.getString("node"),
                row.getString("claimed_at"),
                row.getInt("attempt"),
                row.getBoolean("cancel_requested") ? "; somebody has asked it to stop" : "",
                lives ? "" : "; that node is silent, and others take the job back when its lease has run out");
    }

    private static String dueFor(String reason) {
        return WaitReason.SNOOZE.label().equals(reason) ? "its handler has snoozed it" : reason;
    }

    private static void add(List<Reason> reasons, Kind kind, String text, Object... values) {
        reasons.add(ExplainLimits.reason(kind, text, values));
    }
}
