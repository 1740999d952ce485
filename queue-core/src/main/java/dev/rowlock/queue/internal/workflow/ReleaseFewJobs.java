package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.workflow.MoveSteps.MovedStep;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Lets the jobs of small steps run in the statement that decides it: the end of such a statement. */
final class ReleaseFewJobs {

    /**
     * Behind {@code parked}: jobs in waiting that are locked, {@code id} and {@code place}; and {@code decided}: steps that are locked, {@code place},
     * {@code workflow_id}, {@code step_no}, the {@code state} that says what is to be done, and {@code jobs}, null where they are to be moved afterwards.
     * With one parameter: fewer jobs than this are released with their step.
     */
    static final String SQL = Move.of("from_waiting", """
                    , from_waiting AS (
                        DELETE FROM rowlock.waiting WHERE ctid = ANY (ARRAY(SELECT place FROM parked))
                        RETURNING %s
                    ), missed AS MATERIALIZED (
                        -- Somebody has changed them in this moment, so this snapshot does not see them as they are: their step is moved afterwards.
                        SELECT id FROM parked EXCEPT SELECT id FROM from_waiting
                    )""".formatted(Room.JOB))
            .to(Room.READY, "ready_at = statement_timestamp()")
            .inQueueOrder()
            .returning("queue, rank, job_key")
            .answering("""
                    , stepped AS (
                        UPDATE rowlock.workflow_step s
                           SET state = CASE WHEN cardinality(d.jobs) < ? /* fewer_than */ AND NOT d.jobs && ARRAY(SELECT id FROM missed) THEN 'released' ELSE d.state END
                          FROM decided d
                         WHERE s.ctid = ANY (ARRAY(SELECT place FROM decided))
                           AND s.workflow_id + 0 = d.workflow_id AND s.step_no + 0 = d.step_no -- no index is to be walked through for that
                        RETURNING s.workflow_id, s.step_no, s.state, cardinality(d.jobs) AS jobs
                    )
                    """);

    /** What {@link #read} reads. */
    static final String RESULT = """
            SELECT 1 AS what, workflow_id, step_no, state = 'released' AS flag, jobs = 0 AS other_flag, NULL::text AS queue, NULL::int AS rank, NULL::bigint AS jobs, NULL::text[] AS keys
              FROM stepped
            UNION ALL
            SELECT 2, NULL, NULL, NULL, NULL, queue, min(rank), count(*), %s FROM into_ready GROUP BY queue
            """.formatted(ReadyJobs.KEYS);

    /**
     * What became of the steps.
     *
     * @param steps whose jobs all run now or later
     * @param moving steps whose jobs are to be moved now
     * @param ready the jobs of those that were released
     */
    public record Released(List<MovedStep> steps, List<StepKey> moving, List<ReadyJobs> ready) {

        static final Released NOTHING = new Released(List.of(), List.of(), List.of());
    }

    private ReleaseFewJobs() {}

    static Released read(ResultSet rows) throws SQLException {
        Reader reader = new Reader();
        while (rows.next()) {
            reader.read(rows);
        }
        return reader.released();
    }

    /** Of statements that return more. */
    static final class Reader {

        private final List<MovedStep> steps = new ArrayList<>();
        private final List<StepKey> moving = new ArrayList<>();
        private final List<ReadyJobs> ready = new ArrayList<>();

        /** Reads a row of {@link #RESULT}. */
        void read(ResultSet row) throws SQLException {
            if (row.getInt(1) == 2) {
                ready.add(new ReadyJobs(row.getString(6), row.getInt(7), row.getLong(8), ReadyJobs.keys(row, 9)));
                return;
            }
            StepKey step = new StepKey(row.getLong(2), row.getInt(3));
            if (row.getBoolean(4)) {
                steps.add(new MovedStep(step, row.getBoolean(5)));
            } else {
                moving.add(step);
            }
        }

        Released released() {
            return new Released(List.copyOf(steps), List.copyOf(moving), List.copyOf(ready));
        }
    }
}
