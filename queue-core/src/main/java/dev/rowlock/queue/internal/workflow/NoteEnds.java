package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.workflow.MoveSteps.MovedStep;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Notes which jobs of workflows have ended, and how; and which live again. The rooms say so: whoever asks twice, or late, or on two nodes at once, gets
 * the same. In the same statement those steps run that wait for nothing but one of these jobs: in a chain that is all there is to do. It waits for
 * nobody: what somebody has locked is left to {@link DecideSteps}.
 */
final class NoteEnds {

    // A snapshot sees each job in one room, so it does not matter in which order one looks: all together in the
    // partition of this day, where most of them were done a moment ago, one by one in the other rooms, then all
    // together in older days. A job that is in no room was discarded, or removed with the others of its day. The rows
    // of workflow_job are found by their places, so there is no index to choose a wrong one. "+ 0": nor one to be
    // walked through for the join.
    private static final String MARKED = """
            WITH given AS MATERIALIZED (
                -- In this order, because only one index has it.
                SELECT m.ctid AS place, m.job_id, m.workflow_id, m.step_no, m.state, m.next_steps
                  FROM rowlock.workflow_job m WHERE m.job_id = ANY (?::bigint[]) ORDER BY m.job_id
            ), flow AS MATERIALIZED (
                SELECT w.id, w.state
                  FROM (SELECT DISTINCT workflow_id FROM given) AS g
                 CROSS JOIN LATERAL (SELECT w.id, w.state FROM rowlock.workflow w WHERE w.id = g.workflow_id OFFSET 0) AS w
            ), found AS MATERIALIZED (
                %s
            ), roomed AS MATERIALIZED (
                SELECT m.*,
                       CASE WHEN m.job_id < 0
                            THEN (SELECT CASE s.state WHEN 'completed' THEN 2 WHEN 'failed' THEN 1 WHEN 'cancelled' THEN 3 ELSE 0 END
                                    FROM rowlock.workflow s WHERE s.id = -m.job_id)
                            ELSE coalesce(f.now_state,
                                          (SELECT 0 FROM rowlock.running r WHERE r.id = m.job_id),
                                          (SELECT 0 FROM rowlock.ready r WHERE r.id = m.job_id),
                                          (SELECT 0 FROM rowlock.waiting r WHERE r.id = m.job_id),
                                          (SELECT 1 FROM rowlock.dead r WHERE r.id = m.job_id))
                       END AS room_state
                  FROM given m LEFT JOIN found f ON f.id = m.job_id
            ), older AS MATERIALIZED (
                -- One call for all, and as a rule none.
                SELECT d.id, CASE d.state WHEN 'completed' THEN 2 ELSE 3 END AS now_state
                  FROM (SELECT ARRAY(SELECT job_id FROM roomed WHERE job_id > 0 AND room_state IS NULL) AS ids OFFSET 0) AS n
                 CROSS JOIN LATERAL rowlock.done_jobs(n.ids) AS d
                 WHERE cardinality(n.ids) > 0
            ), looked AS MATERIALIZED (
                SELECT m.*, coalesce(m.room_state, CASE WHEN m.job_id > 0 THEN coalesce(o.now_state, 1) END) AS now_state
                  FROM roomed m LEFT JOIN older o ON o.id = m.job_id
            ), changed AS MATERIALIZED (
                -- One that was skipped stays so: it was cancelled because of that.
                SELECT * FROM looked WHERE now_state <> state AND NOT (state = 4 AND now_state = 3)
            ), marked AS (
                UPDATE rowlock.workflow_job m SET state = c.now_state
                  FROM changed c
                 WHERE m.ctid = ANY (ARRAY(SELECT place FROM changed)) AND m.job_id + 0 = c.job_id AND m.state + 0 = c.state
                RETURNING m.job_id, m.workflow_id, m.step_no, m.state
            )
            """;

    private static final String MARKED_SOON = MARKED.formatted("""
            SELECT d.id, CASE d.state WHEN 'completed' THEN 2 ELSE 3 END AS now_state
                  FROM rowlock.done d
                 WHERE d.id = ANY (ARRAY(SELECT job_id FROM given WHERE job_id > 0))
                   AND d.finished_at BETWEEN statement_timestamp() - interval '10 minutes' AND statement_timestamp() + interval '10 minutes'""");

    // That look takes a lock on each partition. This text is tried when the other one has failed, perhaps because
    // somebody keeps an old partition locked: done_jobs reads those days only that may have the job.
    private static final String MARKED_ALONE =
            MARKED.formatted("SELECT NULL::bigint AS id, NULL::int AS now_state WHERE false");

    private static final String TOUCHED =
            "SELECT workflow_id, step_no, bool_or(state IN (1, 3)), bool_or(state = 0) FROM marked GROUP BY workflow_id, step_no";

    // One snapshot is enough: the job is the only one of its step, and completes only once. None of the jobs behind it
    // has run, as their locks say, so nobody adds to their step. All else is decided about afterwards: what follows a
    // job that was run before its turn, whose step may be skipped yet; a step that has grown; a workflow that is being
    // cancelled.
    private static final String NEXT = """
            , child AS MATERIALIZED (
                SELECT c.place, m.workflow_id, c.step_no, m.step_no AS parent_no, m.steps
                  FROM (SELECT k.workflow_id, k.step_no, k.job_id, g.next_steps, cardinality(g.next_steps) AS steps
                          FROM marked k
                          JOIN given g ON g.job_id = k.job_id
                          JOIN flow f ON f.id = k.workflow_id
                         WHERE k.state = 2 AND g.next_steps IS NOT NULL AND f.state IN ('running', 'failed')) AS m
                 CROSS JOIN LATERAL (
                       SELECT true FROM rowlock.workflow_step p
                        WHERE p.workflow_id = m.workflow_id AND p.step_no = m.step_no AND p.state = 'released' OFFSET 0) AS p
                 CROSS JOIN LATERAL unnest(m.next_steps) AS n (step_no)
                 CROSS JOIN LATERAL (
                       SELECT c.ctid AS place, c.step_no FROM rowlock.workflow_step c
                        WHERE c.workflow_id = m.workflow_id AND c.step_no = n.step_no AND c.state = 'waiting' AND NOT c.accepts
                          FOR NO KEY UPDATE SKIP LOCKED) AS c
                 WHERE (SELECT o.job_id FROM rowlock.workflow_job o
                         WHERE o.workflow_id = m.workflow_id AND o.step_no BETWEEN m.step_no AND m.step_no AND o.job_id <> m.job_id
                         ORDER BY o.step_no, o.job_id LIMIT 1) IS NULL -- in this order, because only one index has it
            ), member AS MATERIALIZED (
                SELECT c.*, ARRAY(SELECT m.job_id FROM rowlock.workflow_job m
                                   WHERE m.workflow_id = c.workflow_id AND m.step_no BETWEEN c.step_no AND c.step_no
                                   ORDER BY m.step_no, m.job_id LIMIT ?) AS jobs -- likewise
                  FROM child c
            ), wanted AS MATERIALIZED (
                SELECT workflow_id, step_no, unnest(jobs) AS id FROM member WHERE cardinality(jobs) < ? /* fewer_than */
            ), locked AS MATERIALIZED (
                SELECT w.id, w.ctid AS place FROM rowlock.waiting w
                 WHERE w.id = ANY (ARRAY(SELECT id FROM wanted)) AND w.reason = 'parents'
                 ORDER BY w.id FOR UPDATE SKIP LOCKED
            ), whole AS MATERIALIZED (
                SELECT w.workflow_id, w.step_no FROM wanted w LEFT JOIN locked l ON l.id = w.id
                 GROUP BY w.workflow_id, w.step_no
                HAVING count(l.id) = count(*)
            ), decided AS MATERIALIZED (
                SELECT m.*, 'releasing' AS state FROM member m JOIN whole w ON w.workflow_id = m.workflow_id AND w.step_no = m.step_no
            ), parked AS MATERIALIZED (
                SELECT l.id, l.place
                  FROM wanted w JOIN whole a ON a.workflow_id = w.workflow_id AND a.step_no = w.step_no JOIN locked l ON l.id = w.id
            )
            """;

    /**
     * Behind {@code parked}: jobs in waiting that are locked, {@code id} and {@code place}; and {@code decided}: steps that are locked, {@code place},
     * {@code workflow_id}, {@code step_no}, the {@code state} that says what is to be done, and {@code jobs}, null where they are to be moved afterwards.
     * With one parameter: fewer jobs than this are released with their step.
     */
    static final String RELEASED = Move.of("from_waiting", """
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

    /** What {@link Released#add} reads. */
    static final String RESULT = """
            SELECT 1 AS what, workflow_id, step_no, state = 'released' AS flag, jobs = 0 AS other_flag, NULL::text AS queue, NULL::int AS rank, NULL::bigint AS jobs, NULL::text[] AS keys
              FROM stepped
            UNION ALL
            SELECT 2, NULL, NULL, NULL, NULL, queue, min(rank), count(*), %s FROM into_ready GROUP BY queue
            """.formatted(ReadyJobs.KEYS);

    // What is left to be decided.
    private static final String REST = """
            UNION ALL
            SELECT 3, m.workflow_id, m.step_no, bool_or(m.state IN (1, 3)), bool_or(m.state = 0), NULL, NULL, NULL, NULL
              FROM marked m
              LEFT JOIN (SELECT d.workflow_id, d.parent_no
                           FROM decided d JOIN stepped s ON s.workflow_id = d.workflow_id AND s.step_no = d.step_no
                          GROUP BY d.workflow_id, d.parent_no, d.steps
                         HAVING count(*) = d.steps) AS decided_about
                ON decided_about.workflow_id = m.workflow_id AND decided_about.parent_no = m.step_no
             WHERE decided_about.workflow_id IS NULL
             GROUP BY m.workflow_id, m.step_no
            """;

    /**
     * Jobs of a step have ended, or live again.
     *
     * @param failed some of them have not completed
     * @param again some of them live again
     */
    record Touched(StepKey step, boolean failed, boolean again) {}

    /**
     * What was noted.
     *
     * @param steps behind which others may go on
     * @param released what went on in the same moment
     */
    record Noted(List<Touched> steps, Released released) {

        private boolean add(ResultSet row) throws SQLException {
            return row.getInt(1) == 3
                    ? steps.add(new Touched(
                            new StepKey(row.getLong(2), row.getInt(3)), row.getBoolean(4), row.getBoolean(5)))
                    : released.add(row);
        }
    }

    /**
     * What became of steps about which was decided.
     *
     * @param steps whose jobs all run now or later
     * @param moving steps whose jobs are to be moved now
     * @param ready the jobs of those that were released
     */
    record Released(List<MovedStep> steps, List<StepKey> moving, List<ReadyJobs> ready) {

        Released() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        /** Adds a row of {@link #RESULT}. */
        boolean add(ResultSet row) throws SQLException {
            if (row.getInt(1) == 2) {
                return ready.add(
                        new ReadyJobs(row.getString(6), row.getInt(7), row.getLong(8), Columns.textList(row, 9)));
            }
            StepKey step = new StepKey(row.getLong(2), row.getInt(3));
            return row.getBoolean(4) ? steps.add(new MovedStep(step, row.getBoolean(5))) : moving.add(step);
        }
    }

    private final Database database;

    /** Notes in workflow_job how given jobs have ended. */
    private final String alone;

    /** Notes in workflow_job how given jobs have ended, and releases the steps that wait for these alone. */
    private final String andRelease;

    NoteEnds(Database database) {
        this.database = database;
        this.alone = database.sql(IndexPlan.LOOKS_PREFIX + MARKED_ALONE + TOUCHED);
        this.andRelease = database.sql(IndexPlan.LOOKS_PREFIX + MARKED_SOON + NEXT + RELEASED + RESULT + REST);
    }

    /** Looks at these jobs; a negative id is a workflow within another. */
    List<Touched> alone(Collection<Long> ids) {
        return database.atOnce(connection -> IndexPlan.list(
                connection,
                alone,
                row -> new Touched(StepKey.ROW.read(row), row.getBoolean(3), row.getBoolean(4)),
                longs(ids)));
    }

    /**
     * The same, and lets the next steps run.
     *
     * @param fewerThan so many jobs of a step run at once
     */
    Noted andRelease(Collection<Long> ids, int fewerThan) {
        return database.atOnce(connection -> {
            Noted noted = new Noted(new ArrayList<>(), new Released());
            IndexPlan.list(connection, andRelease, noted::add, longs(ids), fewerThan, fewerThan, fewerThan);
            return noted;
        });
    }

    private static long[] longs(Collection<Long> ids) {
        return Columns.longs(List.copyOf(ids), Long::longValue);
    }
}
