package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
            "hashtextextended(? || ? /* workflow_id */::text || ' ' || (hashtext(?) /* step_name */ & 15), 0)";

    /** With three parameters: {@link #prefix}, the workflow, and the step's name. */
    private static final String SHARED = "pg_advisory_xact_lock_shared(" + LOCK + ")";

    /** With the same parameters. */
    private static final String ALONE = "pg_advisory_xact_lock(" + LOCK + ")";

    // Until the end of the transaction, the lock keeps everybody from taking the claim away or recording its outcome,
    // so that the step has a job that has not ended.
    private static final String OF_JOB = """
            SELECT m.workflow_id, m.step_no, s.state, s.accepts, w.state
              FROM (SELECT id FROM rowlock.running WHERE id = ? AND token = ? FOR KEY SHARE) AS held
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

    // A step that waits may be released in this moment: its jobs would move without the added one, which would wait for
    // ever. One that does not wait never does so again, so ten thousand jobs of a step that runs need not meet at its
    // row.
    private static final String WAITING = """
            SELECT s.workflow_id, s.step_no, s.state, s.accepts, w.state
              FROM rowlock.workflow w JOIN rowlock.workflow_step s ON s.workflow_id = w.id
             WHERE w.id = ? AND s.step_no = ?
               FOR SHARE OF s
            """;

    /**
     * Waits for whoever is closing the step; and keeps it from being closed while this transaction adds jobs to it. Whoever closes it, or cancels
     * its workflow, waits for this transaction, and those who come later wait behind that.
     */
    private static final String TURN = "SELECT " + SHARED + ", current_setting('transaction_isolation') LIKE 'read%'";

    private static final String NAMED = """
            SELECT s.workflow_id, s.step_no, s.state, s.accepts, w.state
              FROM rowlock.workflow w JOIN rowlock.workflow_step s ON s.workflow_id = w.id
             WHERE w.id = ? AND s.name = ?
            """;

    // A snapshot of the whole transaction may be older than all that has become of the step. This fails if it is.
    private static final String NAMED_AS_IT_IS = NAMED + " FOR SHARE OF s";

    // Nobody waits for it who decides about the step: its jobs move, but it has not moved before this transaction has
    // ended. See FindSteps.busy.
    private static final String HOLD = """
            SELECT FROM rowlock.workflow_step s WHERE s.workflow_id = ? AND s.step_no = ? FOR KEY SHARE
            """;

    private static final String CLOSE = """
            WITH turn AS MATERIALIZED (SELECT count(%s) AS taken)
            UPDATE rowlock.workflow_step SET accepts = false
             WHERE workflow_id = ? AND name = ? AND accepts AND (SELECT taken FROM turn) = 1
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

    /** Reads the step to which a running job belongs, and keeps its claim from being taken. */
    private final String ofJob;

    /** Reads a step by its number, and locks it so that nobody changes it. */
    private final String waiting;

    /** Reads a step by its name, without a lock. */
    private final String named;

    /** Reads a step by its name, and locks it so that nobody changes it. */
    private final String namedAsItIs;

    /** Keeps a step from ending, without waiting for who decides about it. */
    private final String hold;

    /** Closes a step, so that nobody adds jobs to it any more; waits for those that are just adding some. */
    private final String close;

    public LockStep(Schema schema) {
        this.schema = schema;
        this.ofJob = schema.sql(OF_JOB);
        this.waiting = schema.sql(WAITING);
        this.named = schema.sql(NAMED);
        this.namedAsItIs = schema.sql(NAMED_AS_IT_IS);
        this.hold = schema.sql(HOLD);
        this.close = schema.sql(CLOSE);
    }

    /** The step of a job that is running. Empty: the claim is lost. */
    public Optional<Found> ofJob(Connection connection, Claim claim) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, ofJob)) {
            statement.setLong(1, claim.jobId());
            statement.setLong(2, claim.token());
            Optional<Found> found = read(statement);
            StepKey key = found.map(Found::key).orElse(null);
            return key != null && found.get().held() ? waiting(connection, key) : found;
        }
    }

    private Optional<Found> waiting(Connection connection, StepKey step) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, waiting)) {
            statement.setLong(1, step.workflow());
            statement.setInt(2, step.step());
            return read(statement);
        }
    }

    /** A step by its name. */
    public Optional<Found> named(Connection connection, long workflow, String step) throws SQLException {
        if (!turn(connection, workflow, step)) {
            return named(connection, namedAsItIs, workflow, step);
        }
        Optional<Found> found = named(connection, named, workflow, step);
        StepKey key = found.map(Found::key).orElse(null);
        if (key == null || !found.get().held()) {
            return found;
        }
        hold(connection, key);
        return named(connection, named, workflow, step); // from now on, it has not moved if it still waits
    }

    /** Returns whether each statement sees what was committed before it. */
    private boolean turn(Connection connection, long workflow, String step) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, TURN)) {
            statement.setString(1, prefix(schema));
            statement.setLong(2, workflow);
            statement.setString(3, step);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(2);
            }
        }
    }

    private void hold(Connection connection, StepKey step) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, hold)) {
            statement.setLong(1, step.workflow());
            statement.setInt(2, step.step());
            statement.executeQuery().close();
        }
    }

    private static Optional<Found> named(Connection connection, String sql, long workflow, String step)
            throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            statement.setLong(1, workflow);
            statement.setString(2, step);
            return read(statement);
        }
    }

    private static Optional<Found> read(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return Optional.empty();
            }
            Long workflow = Columns.number(row, 1);
            if (workflow == null) {
                return Optional.of(new Found(null, "", false, ""));
            }
            return Optional.of(new Found(
                    new StepKey(workflow, row.getInt(2)), row.getString(3), row.getBoolean(4), row.getString(5)));
        }
    }

    /** Waits for those that are just adding jobs, and others that add wait for it. Returns whether it was open. */
    public boolean close(Connection connection, long workflow, String step) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, close)) {
            statement.setString(1, prefix(schema));
            statement.setLong(2, workflow);
            statement.setString(3, step);
            statement.setLong(4, workflow);
            statement.setString(5, step);
            return statement.executeUpdate() > 0;
        }
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
