package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels workflows: first that they are to be, then their jobs, some at a time. */
final class CancelWorkflows {

    /** Cancels the jobs of cancelled workflows, in rounds, some in each. One thread. */
    static final class Rounds {

        private static final Logger log = LoggerFactory.getLogger(CancelWorkflows.class);

        private static final int JOBS = 1_000;
        private static final int WORKFLOWS = 1_000;

        /** How far a workflow has come; {@code asked}: whether running jobs were asked to stop. */
        private record Cancelling(int step, long job, boolean asked) {

            static final Cancelling FRONT = new Cancelling(-1, Long.MIN_VALUE, false);
        }

        private final CancelWorkflows cancel;
        private final Progress progress;
        private final Wakeups wakeups;
        private final Map<Long, Cancelling> places = new LinkedHashMap<>();

        Rounds(CancelWorkflows cancel, Progress progress, Wakeups wakeups) {
            this.cancel = cancel;
            this.progress = progress;
            this.wakeups = wakeups;
        }

        /** Looks which workflows are to be cancelled, unless it knows of some. Returns whether there are any. */
        boolean find() {
            if (!places.isEmpty()) {
                return true;
            }
            List<Long> some = cancel.next(0, WORKFLOWS);
            while (!some.isEmpty()) {
                some.forEach(workflow -> places.put(workflow, Cancelling.FRONT));
                some = cancel.next(some.get(some.size() - 1), WORKFLOWS);
            }
            return !places.isEmpty();
        }

        /** Cancels some jobs of a workflow, each time of another one. Returns whether there is more to do. */
        boolean round() {
            Iterator<Map.Entry<Long, Cancelling>> first = places.entrySet().iterator();
            if (!first.hasNext()) {
                return false;
            }
            Map.Entry<Long, Cancelling> next = first.next();
            first.remove();
            try {
                some(next.getKey(), next.getValue());
            } catch (RuntimeException e) {
                // Because somebody keeps a part of it locked, say: it must not keep the others.
                log.debug("cancelling workflow {} failed; will retry soon", next.getKey(), e);
            }
            return !places.isEmpty();
        }

        private void some(long workflow, Cancelling place) {
            Cancelled some = cancel.jobs(workflow, place.step(), place.job(), JOBS);
            boolean asked = place.asked() || some.asked() > 0;
            if (some.jobs() == JOBS) {
                places.put(workflow, new Cancelling(some.step(), some.job(), asked));
                return;
            }
            if (asked) {
                wakeups.attention(); // nodes hear with their next heartbeat which of their jobs are to stop
            }
            progress.cancelled(workflow);
        }
    }

    // As whoever closes them: those who are just adding go first, and later ones come afterwards.
    private static final String TURN = """
            WITH turn AS MATERIALIZED (
                SELECT count(pg_advisory_xact_lock(open.lock)) AS taken
                  FROM (SELECT DISTINCT %s AS lock FROM rowlock.workflow_step WHERE workflow_id = :workflow AND accepts ORDER BY 1) AS open
            ), asked AS (
            """.formatted(LockStep.ofRow(":lock_prefix"));

    private static final String CLOSED = """
            ), closed AS (
                UPDATE rowlock.workflow_step SET accepts = false WHERE workflow_id = ANY (ARRAY(SELECT id FROM asked)) AND accepts
            )
            """ + AuditNote.ofNoJobs("asked") + "SELECT id FROM asked";

    private static final String BEGIN = TURN + """
                UPDATE rowlock.workflow SET state = 'cancelling' WHERE id = :workflow AND state = 'running' AND (SELECT taken FROM turn) >= 0
                RETURNING id
            """ + CLOSED;

    // One that has failed and runs again, as nobody has noted yet. Nor that its redriven jobs have not ended: they
    // would run on in a workflow that is cancelled.
    private static final String BEGIN_REDRIVEN = TURN + """
                UPDATE rowlock.workflow w SET state = 'cancelling', ended_at = NULL WHERE w.id = :workflow AND (SELECT taken FROM turn) >= 0 AND %s
                RETURNING w.id
            ), again AS (
                UPDATE rowlock.workflow_job SET state = 0
                 WHERE ctid = ANY (ARRAY(
                       SELECT m.ctid FROM rowlock.workflow_job m
                        WHERE m.workflow_id = ANY (ARRAY(SELECT id FROM asked)) AND m.failure = 1
                          AND coalesce((SELECT r.id FROM rowlock.ready r WHERE r.id = m.job_id),
                                       (SELECT r.id FROM rowlock.running r WHERE r.id = m.job_id),
                                       (SELECT r.id FROM rowlock.waiting r WHERE r.id = m.job_id)) IS NOT NULL))
                   AND state = 1
            """.formatted(ReadWorkflows.REDRIVEN) + CLOSED;

    private static final String OPEN =
            "SELECT id FROM rowlock.workflow WHERE state IN ('running', 'cancelling', 'failed') AND state = 'cancelling' AND id > ? ORDER BY id LIMIT ?";

    private static final String JOBS = JobStatements.cancelled(
                    Move.of("(TABLE from_waiting UNION ALL TABLE from_ready) AS found", """
            WITH next AS MATERIALIZED (
                SELECT m.ctid AS place, m.step_no, m.job_id FROM rowlock.workflow_job m
                 WHERE m.workflow_id = ? AND m.state = 0 AND (m.step_no, m.job_id) > (?, ?)
                 ORDER BY m.step_no, m.job_id LIMIT ?
            ), from_waiting AS (
                DELETE FROM rowlock.waiting
                 WHERE ctid = ANY (ARRAY(
                       SELECT w.ctid FROM rowlock.waiting w WHERE w.id = ANY (ARRAY(SELECT job_id FROM next)) ORDER BY w.id FOR UPDATE SKIP LOCKED))
                RETURNING %1$s
            ), from_ready AS (
                DELETE FROM rowlock.ready
                 WHERE ctid = ANY (ARRAY(
                       SELECT r.ctid FROM rowlock.ready r WHERE r.id = ANY (ARRAY(SELECT job_id FROM next)) ORDER BY r.id FOR UPDATE SKIP LOCKED))
                RETURNING %1$s
            )""".formatted(Room.JOB)))
            .returning("id")
            .answering("""
            , marked AS (
                -- By their places, as in NoteEnds. One that somebody has changed in this moment, the sweep notes.
                UPDATE rowlock.workflow_job SET state = 3
                 WHERE ctid = ANY (ARRAY(SELECT n.place FROM next n JOIN into_done c ON c.id = n.job_id))
            ), asked AS (
                UPDATE rowlock.running SET cancel_requested = true
                 WHERE ctid = ANY (ARRAY(
                       SELECT r.ctid FROM rowlock.running r
                        WHERE r.id = ANY (ARRAY(SELECT job_id FROM next)) AND NOT r.cancel_requested ORDER BY r.id FOR NO KEY UPDATE SKIP LOCKED))
                RETURNING id
            ), within AS (
                UPDATE rowlock.workflow SET state = 'cancelling'
                 WHERE ctid = ANY (ARRAY(
                       SELECT w.ctid FROM rowlock.workflow w
                        WHERE w.id = ANY (ARRAY(SELECT -job_id FROM next WHERE job_id < 0)) AND w.state = 'running' ORDER BY w.id FOR UPDATE SKIP LOCKED))
                RETURNING id
            ), closed AS (
                -- Of a workflow that was started by a job of one that was cancelled: nobody has done it yet. Whoever adds to such a step just now
                -- does so in a transaction that may stay open for long.
                UPDATE rowlock.workflow_step SET accepts = false
                 WHERE ctid = ANY (ARRAY(
                       SELECT s.ctid FROM (
                              SELECT o.ctid, o.workflow_id, o.name FROM rowlock.workflow_step o
                               WHERE o.workflow_id = ? AND o.accepts ORDER BY o.workflow_id OFFSET 0 FOR UPDATE SKIP LOCKED) AS s
                        WHERE pg_try_advisory_xact_lock(%s)))
            )
            SELECT count(*), (SELECT count(*) FROM asked),
                   (SELECT n.step_no FROM next n ORDER BY n.step_no DESC, n.job_id DESC LIMIT 1),
                   (SELECT n.job_id FROM next n ORDER BY n.step_no DESC, n.job_id DESC LIMIT 1)
              FROM next
            """.formatted(LockStep.ofRow("?")));

    /**
     * Some were cancelled.
     *
     * @param asked how many running ones were asked to stop
     * @param step of the last one, with its id
     */
    public record Cancelled(int jobs, int asked, int step, long job) {}

    private final Database database;
    private final EnsureDonePartitions partitions;

    /** Begins to cancel a workflow, once those that are just adding jobs to it have ended. */
    private final String begin;
    /** Begins to cancel a failed workflow that runs again, as nobody has noted yet. */
    private final String beginRedriven;

    /** Lists the next workflows that are to be cancelled. */
    private final String open;
    /** Cancels the next open jobs of a workflow, and asks those that run to stop. */
    private final String jobs;

    public CancelWorkflows(Database database) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.begin = database.sql(BEGIN);
        this.beginRedriven = database.sql(BEGIN_REDRIVEN);
        this.open = database.sql(IndexPlan.PREFIX + OPEN);
        this.jobs = database.sql(IndexPlan.LOOKS_PREFIX + JOBS);
    }

    /**
     * Joins the caller's transaction; waits for those that are just adding jobs, and others that add wait for it. Returns whether
     * it was running, or ran again.
     */
    public boolean begin(long workflow, AuditNote note) {
        return database.joined(connection -> begun(connection, begin, workflow, note)
                || begun(connection, beginRedriven, workflow, note)
                || begun(
                        connection,
                        begin,
                        workflow,
                        note)); // somebody may have noted between the two that it runs again
    }

    private boolean begun(Connection connection, String sql, long workflow, AuditNote note) throws SQLException {
        return ColdStatement.on(connection, sql)
                .set("lock_prefix", LockStep.prefix(database.schema()))
                .set("workflow", workflow)
                .set(AuditNote.values(note))
                .first(row -> true)
                .isPresent();
    }

    /** The next workflows behind this one that are to be cancelled, in order. */
    public List<Long> next(long behind, int limit) {
        return database.atOnce(connection -> IndexPlan.list(connection, open, row -> row.getLong(1), behind, limit));
    }

    /** Cancels jobs behind this one, so many at most. Those that somebody moves just now are left for the next time. */
    public Cancelled jobs(long workflow, int behindStep, long behindJob, int limit) {
        return partitions.around(() -> database.atOnce(connection -> IndexPlan.list(
                        connection,
                        jobs,
                        row -> new Cancelled(row.getInt(1), row.getInt(2), row.getInt(3), row.getLong(4)),
                        workflow,
                        behindStep,
                        behindJob,
                        limit,
                        workflow,
                        LockStep.prefix(database.schema())))
                .get(0));
    }
}
