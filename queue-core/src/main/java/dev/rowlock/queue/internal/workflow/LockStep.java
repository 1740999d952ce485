package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.Claim;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a step from ending until the transaction ends, so that jobs can be added to it; and closes one to which jobs could be added.
 *
 * <p>Those who add to an open step, and whoever closes it or cancels its workflow, queue up for an advisory lock of the
 * transaction. A lock of the step's row is not enough. Whoever shares it passes by one who wants it alone, so while some go on
 * adding, that one waits for ever. They take this one first.
 *
 * <p>A workflow has sixteen of them, which its steps share: the server's table of locks is small, and whoever cancels a workflow
 * with thousands of open steps locks all.
 */
final class LockStep {

    private static final String LOCK =
            "hashtextextended(:lock_prefix || :workflow::bigint::text || ' ' || (hashtext(:step) & 15), 0)";

    /** The prefix is {@link #prefix}. */
    private static final String SHARED = "pg_advisory_xact_lock_shared(" + LOCK + ")";

    private static final String ALONE = "pg_advisory_xact_lock(" + LOCK + ")";

    /** Reads the step to which a running job belongs, and keeps its claim from being taken. */
    // Until the end of the transaction, the lock keeps everybody from taking the claim away or recording its outcome,
    // so that the step has a job that has not ended.
    private static final String OF_JOB = """
            SELECT m.workflow_id, m.step_no, s.state, s.accepts, w.state
              FROM (SELECT id FROM rowlock.running WHERE id = :job AND token = :token FOR KEY SHARE) AS held
              -- One look after the other: joined, tables that are believed to be empty would be read as a whole.
              LEFT JOIN LATERAL (
                   SELECT m.workflow_id, m.step_no FROM rowlock.workflow_job m
                    WHERE m.job_id BETWEEN held.id AND held.id
                    ORDER BY m.job_id OFFSET 0) AS m ON true -- in this order, because only one index has it
              LEFT JOIN LATERAL (SELECT w.state FROM rowlock.workflow w WHERE w.id = m.workflow_id OFFSET 0) AS w ON true
              LEFT JOIN LATERAL (
                   SELECT s.state, s.accepts FROM rowlock.workflow_step s
                    WHERE s.workflow_id = m.workflow_id AND s.step_no = m.step_no OFFSET 0) AS s ON true
            """;

    /** Reads a step by its number, and locks it so that nobody changes it. */
    // A step that waits may be released in this moment: its jobs would move without the added one, which would wait for
    // ever. One that does not wait never does so again, so ten thousand jobs of a step that runs need not meet at its
    // row.
    private static final String WAITING = """
            SELECT s.workflow_id, s.step_no, s.state, s.accepts, w.state
              FROM rowlock.workflow w JOIN rowlock.workflow_step s ON s.workflow_id = w.id
             WHERE w.id = :workflow AND s.step_no = :step_no
               FOR SHARE OF s
            """;

    /**
     * Waits for whoever is closing the step; and keeps it from being closed while this transaction adds jobs to it. Whoever closes it, or cancels
     * its workflow, waits for this transaction, and those who come later wait behind that.
     */
    private static final String TURN = "SELECT " + SHARED + ", current_setting('transaction_isolation') LIKE 'read%'";

    /** Reads a step by its name, without a lock. */
    private static final String NAMED = """
            SELECT s.workflow_id, s.step_no, s.state, s.accepts, w.state
              FROM rowlock.workflow w JOIN rowlock.workflow_step s ON s.workflow_id = w.id
             WHERE w.id = :workflow AND s.name = :step
            """;

    /** Reads a step by its name, and locks it so that nobody changes it. */
    // A snapshot of the whole transaction may be older than all that has become of the step. This fails if it is.
    private static final String NAMED_AS_IT_IS = NAMED + "   FOR SHARE OF s";

    /** Keeps a step from ending, without waiting for who decides about it. */
    // Nobody waits for it who decides about the step: its jobs move, but it has not moved before this transaction has
    // ended. See MoveSteps.busy.
    private static final String HOLD = """
            SELECT FROM rowlock.workflow_step s WHERE s.workflow_id = :workflow AND s.step_no = :step_no FOR KEY SHARE
            """;

    /** Closes a step, so that nobody adds jobs to it any more; waits for those that are just adding some. */
    private static final String CLOSE = """
            WITH turn AS MATERIALIZED (SELECT count(%s) AS taken)
            UPDATE rowlock.workflow_step SET accepts = false
             WHERE workflow_id = :workflow AND name = :step AND accepts AND (SELECT taken FROM turn) = 1
            """.formatted(ALONE);

    /**
     * What is locked.
     *
     * @param key null: the job belongs to no workflow
     */
    public record Found(@Nullable StepKey key, String state, boolean accepts, String workflowState) {

        public boolean held() {
            return state.equals("waiting");
        }

        public boolean skipped() {
            return state.startsWith("skip");
        }

        public boolean running() {
            return workflowState.equals("running") || workflowState.equals("failed");
        }
    }

    private final Schema schema;

    public LockStep(Schema schema) {
        this.schema = schema;
    }

    /** The step of a job that is running. Empty: the claim is lost. */
    public Optional<Found> ofJob(Connection connection, Claim claim) throws SQLException {
        Optional<Found> found = on(connection, OF_JOB)
                .set("job", claim.jobId())
                .set("token", claim.token())
                .first(LockStep::read);
        StepKey key = found.map(Found::key).orElse(null);
        return key != null && found.get().held()
                ? on(connection, WAITING)
                        .set("workflow", key.workflow())
                        .set("step_no", key.step())
                        .first(LockStep::read)
                : found;
    }

    /** A step by its name. */
    public Optional<Found> named(Connection connection, long workflow, String step) throws SQLException {
        boolean eachSeesWhatWasCommitted = named(connection, TURN, workflow, step)
                .set("lock_prefix", prefix(schema))
                .only(row -> row.getBoolean(2));
        if (!eachSeesWhatWasCommitted) {
            return named(connection, NAMED_AS_IT_IS, workflow, step).first(LockStep::read);
        }
        Optional<Found> found = named(connection, NAMED, workflow, step).first(LockStep::read);
        StepKey key = found.map(Found::key).orElse(null);
        if (key == null || !found.get().held()) {
            return found;
        }
        on(connection, HOLD)
                .set("workflow", workflow)
                .set("step_no", key.step())
                .first(row -> true);
        // From now on, it has not moved if it still waits.
        return named(connection, NAMED, workflow, step).first(LockStep::read);
    }

    /** Waits for those that are just adding jobs, and others that add wait for it. Returns whether it was open. */
    public boolean close(Connection connection, long workflow, String step) throws SQLException {
        return named(connection, CLOSE, workflow, step)
                        .set("lock_prefix", prefix(schema))
                        .update()
                > 0;
    }

    private ColdStatement named(Connection connection, String sql, long workflow, String step) {
        return on(connection, sql).set("workflow", workflow).set("step", step);
    }

    private ColdStatement on(Connection connection, String sql) {
        return ColdStatement.on(connection, schema.sql(sql));
    }

    private static Found read(ResultSet row) throws SQLException {
        Long workflow = Columns.number(row, 1);
        return workflow == null
                ? new Found(null, "", false, "")
                : new Found(
                        new StepKey(workflow, row.getInt(2)), row.getString(3), row.getBoolean(4), row.getString(5));
    }

    /** Of a row with {@code workflow_id} and {@code name}, what is to be locked. The parameter is {@link #prefix}. */
    static String ofRow(String parameter) {
        return "hashtextextended(%s || workflow_id::text || ' ' || (hashtext(name) & 15), 0)".formatted(parameter);
    }

    /** Advisory locks are the database's, so the schema tells ours from those of another Rowlock. */
    static String prefix(Schema schema) {
        return "rowlock step " + schema.name() + ' ';
    }
}
