package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.BegunJobs;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.text.LineLimit;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels ready jobs that were enqueued before another one of their key died, in a queue whose order wants that. Those that have begun, or
 * that somebody has redriven, go on.
 */
public final class CancelRest {

    private static final int LIMIT = 1_000;

    private static final String SQL = Move.of(
                    "rest r JOIN failed f ON f.job_key = r.job_key", """
                    WITH failed AS MATERIALIZED (
                        SELECT DISTINCT ON (d.job_key) d.job_key, d.id, d.last_job
                          FROM rowlock.dead d
                         WHERE d.queue = ? AND d.job_key = ANY (?::text[])
                           AND (SELECT l.in_order FROM rowlock.queue_limit l WHERE l.queue = d.queue) = 'cancel-rest' -- it may have changed since the claim
                         ORDER BY d.job_key, d.last_job DESC
                    ), rest AS (
                        DELETE FROM rowlock.ready
                         WHERE ctid = ANY (ARRAY(
                               SELECT r.ctid FROM rowlock.ready r JOIN failed f ON f.job_key = r.job_key AND r.id <= f.last_job
                                WHERE r.queue = ? AND %s
                                LIMIT ?
                                  FOR UPDATE OF r SKIP LOCKED))
                        RETURNING *
                    )""".formatted(BegunJobs.untouched("r")))
            .to(Room.DONE, "id = r.id", "job_key = r.job_key", "state = 'cancelled'", """
                    errors = rowlock.with_error(errors, attempt, NULL, jsonb_build_object(
                           'type', 'cancelled', 'message', 'job ' || f.id || ' of its key is dead'))""")
            .returning("headers")
            .answering("SELECT count(*), coalesce(bool_or(headers -> '%s' IS NOT NULL), false) FROM into_done"
                    .formatted(Headers.WORKFLOW));

    private final Database database;
    private final EnsureDonePartitions partitions;
    private final String sql;

    public CancelRest(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.sql = database.sql(SQL);
    }

    /**
     * What was done.
     *
     * @param jobs so many were cancelled; there may be more if those were 1,000
     * @param ofWorkflows whether some of them belong to workflows
     */
    public record Cancelled(int jobs, boolean ofWorkflows) {}

    public Cancelled run(String queue, List<String> keys) {
        return partitions.around(() -> database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, queue);
                statement.setObject(2, keys.toArray(String[]::new));
                statement.setString(3, queue);
                statement.setInt(4, LIMIT);
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    return new Cancelled(row.getInt(1), row.getBoolean(2));
                }
            }
        }));
    }

    /**
     * Cancels ready jobs of keys in order of which another job is dead, where that is wanted. They keep their place until the claim that finds them cancels them.
     *
     * <p>If that fails, the claim that has found them goes on all the same. Where the server refuses to move a job, only its key is left aside for a while.
     *
     * <p>Used by one thread at a time.
     */
    static final class RestOfKeys {

        private static final Logger log = LoggerFactory.getLogger(RestOfKeys.class);

        private static final Duration AGAIN = Duration.ofMinutes(1);

        /** Where no key is to blame. */
        private static final Duration SOON_AGAIN = Duration.ofSeconds(5);

        /** Keys that are left aside; if there are more, all are tried again. */
        private static final int MOST = 10_000;

        private static final int MOST_LINES = 5;

        private final String queue;
        private final CancelRest cancel;
        private final Runnable changed;
        private final Map<String, Long> aside = new HashMap<>(); // until when, monotonic
        private int cancelled; // by the call that goes on
        private final LineLimit lines = new LineLimit(MOST_LINES, Duration.ofHours(1));

        /** @param changed called when jobs of workflows were cancelled */
        RestOfKeys(String queue, CancelRest cancel, Runnable changed) {
            this.queue = queue;
            this.cancel = cancel;
            this.changed = changed;
        }

        /** Returns whether it has cancelled any. Never fails. */
        boolean cancel(List<String> found) {
            long now = System.nanoTime();
            aside.values().removeIf(until -> until - now <= 0);
            List<String> keys =
                    found.stream().filter(key -> !aside.containsKey(key)).toList();
            cancelled = 0;
            if (!keys.isEmpty()) {
                try {
                    cancelAll(keys);
                } catch (RuntimeException e) {
                    apart(keys, e);
                }
            }
            return cancelled > 0;
        }

        private void cancelAll(List<String> keys) {
            Cancelled rest = cancel.run(queue, keys);
            cancelled += rest.jobs();
            log.info("queue '{}': cancelled {} jobs, because others of their keys are dead", queue, rest.jobs());
            if (rest.ofWorkflows()) {
                changed.run();
            }
        }

        private void apart(List<String> keys, RuntimeException together) {
            try {
                Map<String, RuntimeException> refused = BatchSplitter.refused(keys, this::cancelAll, together);
                if (!refused.isEmpty()) {
                    leaveAside(
                            refused.keySet(), AGAIN, refused.values().iterator().next());
                }
            } catch (RuntimeException e) {
                leaveAside(keys, SOON_AGAIN, e);
            }
        }

        private void leaveAside(Collection<String> keys, Duration again, RuntimeException reason) {
            if (aside.size() + keys.size() > MOST) {
                aside.clear();
            }
            long until = System.nanoTime() + again.toNanos();
            keys.forEach(key -> aside.put(key, until));
            if (lines.admitted(System.nanoTime()) >= 0) {
                log.error(
                        "queue '{}': jobs of {} keys cannot be cancelled, though others of these keys are dead. They stay where they are, and"
                                + " those behind them wait; this is tried again in {}, other keys go on",
                        queue,
                        keys.size(),
                        DurationText.of(again),
                        reason);
            }
        }
    }
}
