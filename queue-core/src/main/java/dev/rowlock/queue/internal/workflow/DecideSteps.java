package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.workflow.LockWaitingSteps.Found;
import dev.rowlock.queue.internal.workflow.LockWaitingSteps.Locked;
import dev.rowlock.queue.internal.workflow.MarkEndedJobs.Touched;
import dev.rowlock.queue.internal.workflow.ReleaseFewJobs.Released;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * Decides which steps may run now, are skipped, or come back after they were skipped. Lets those with few jobs run at once: that is what mostly happens.
 *
 * <p>Two statements in one transaction: the first one locks the steps, the second one looks with a newer snapshot at what they wait for. So of two
 * nodes that have each noted the end of another parent, the later one sees both.
 */
public final class DecideSteps {

    /**
     * What was decided.
     *
     * @param ended of the given steps, those that may let others go on
     */
    public record Decided(List<StepKey> ended, Released released) {}

    // Rows that the transaction has locked. A step with few jobs and without a time of its own needs nobody else.
    private static final String SQL = """
            WITH locked AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::int[], ?::text[]::tid[], ?::text[], ?::boolean[])
                           AS t (workflow_id, step_no, place, state, at_once)
            ),
            """ + Verdicts.of("SELECT workflow_id, step_no FROM locked") + """
            , decided AS MATERIALIZED (
                SELECT l.place, l.workflow_id, l.step_no,
                       CASE WHEN NOT v.met THEN 'skipping' WHEN l.state = 'waiting' THEN 'releasing' ELSE 'reviving' END AS state,
                       CASE WHEN v.met AND l.state = 'waiting' AND l.at_once
                            THEN ARRAY(SELECT m.job_id FROM rowlock.workflow_job m
                                        WHERE m.workflow_id = l.workflow_id AND m.state = 0 AND m.step_no BETWEEN l.step_no AND l.step_no
                                        ORDER BY m.step_no, m.job_id LIMIT ?) END AS jobs -- in this order, because only one index has it
                  FROM verdict v JOIN locked l ON l.workflow_id = v.workflow_id AND l.step_no = v.step_no
                 WHERE v.met OR l.state = 'waiting'
            ), few AS MATERIALIZED (
                SELECT workflow_id, step_no, jobs FROM decided WHERE cardinality(jobs) < ?
            ), parked AS MATERIALIZED (
                -- Not those that somebody has let run before, or cancelled.
                SELECT w.id, w.ctid AS place FROM rowlock.waiting w
                 WHERE w.id = ANY (ARRAY(SELECT unnest(jobs) FROM few)) AND w.reason = 'parents'
                 ORDER BY w.id FOR UPDATE
            )
            """
            + ReleaseFewJobs.SQL + ReleaseFewJobs.RESULT;

    private final Database database;
    private final LockWaitingSteps lock;
    private final String sql;

    public DecideSteps(Database database) {
        this.database = database;
        this.lock = new LockWaitingSteps(database.schema());
        this.sql = database.sql(SQL);
    }

    /**
     * About steps that run after some of these: after one that has failed, or has no job any more that has not ended. Fails if somebody keeps one of
     * them locked, or a job of theirs.
     *
     * @param fewerThan so many jobs are moved with their step
     */
    public Decided after(Collection<Touched> parents, int fewerThan) {
        return database.atomically(
                connection -> decide(connection, lock.behind(connection, parents, false), fewerThan));
    }

    /** The same, but passes over those that somebody has locked, and moves no jobs. */
    public Decided afterOthers(Collection<Touched> parents) {
        return database.atomically(connection -> decide(connection, lock.behind(connection, parents, true), 0));
    }

    /** About these steps, as {@link #after}. */
    public Decided themselves(Collection<StepKey> steps, int fewerThan) {
        return database.atomically(connection -> decide(connection, lock.named(connection, steps, false), fewerThan));
    }

    /** About these steps, as {@link #afterOthers}. */
    public Decided others(Collection<StepKey> steps) {
        return database.atomically(connection -> decide(connection, lock.named(connection, steps, true), 0));
    }

    private Decided decide(Connection connection, Found found, int fewerThan) throws SQLException {
        if (found.locked().isEmpty()) {
            return new Decided(found.ended(), Released.NOTHING);
        }
        // Its plan settings are those of the statement before.
        try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
            List<Locked> locked = found.locked();
            StepKey.set(statement, 1, locked.stream().map(Locked::key).toList());
            statement.setObject(3, Columns.texts(locked, Locked::place));
            statement.setObject(4, Columns.texts(locked, Locked::state));
            statement.setObject(5, Columns.flags(locked, Locked::atOnce));
            for (int parameter = 6; parameter <= 8; parameter++) {
                statement.setInt(parameter, fewerThan);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return new Decided(found.ended(), ReleaseFewJobs.read(rows));
            }
        }
    }
}
