package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Notes which jobs of workflows have ended, and how; and which live again. The rooms say so: whoever asks twice, or late, or on two nodes at
 * once, gets the same.
 */
final class MarkEndedJobs {

    private static final String HEARD = """
            WITH given AS MATERIALIZED (
                -- In this order, because only one index has it.
                SELECT m.ctid AS place, m.job_id, m.workflow_id, m.step_no, m.state, m.next_steps
                  FROM rowlock.workflow_job m WHERE m.job_id = ANY (?::bigint[]) ORDER BY m.job_id
            )
            """;

    // Of workflows that run, or have failed and may be redriven. Those that were completed are only walked past.
    private static final String STRETCH = """
            WITH walked AS MATERIALIZED (
                SELECT m.place, m.job_id, m.workflow_id, m.step_no, m.state
                  FROM rowlock.workflow w
                 CROSS JOIN LATERAL (
                       SELECT m.ctid AS place, m.job_id, m.workflow_id, m.step_no, m.state FROM rowlock.workflow_job m
                        WHERE m.workflow_id = w.id AND (m.step_no, m.job_id) > (CASE WHEN w.id > ? THEN -1 ELSE ? /* behind_step */ END, ?)
                        ORDER BY m.step_no, m.job_id LIMIT ?) AS m
                 WHERE w.id >= ? AND w.state IN ('running', 'cancelling', 'failed')
                 ORDER BY w.id, m.step_no, m.job_id LIMIT ?
            ), given AS MATERIALIZED (
                SELECT place, job_id, workflow_id, step_no, state FROM walked WHERE state <= 1
            )
            """;

    // A snapshot sees each job in one room, so it does not matter in which order one looks: together in that room where
    // most of them are, one by one for the others. A job that is in none was discarded, or removed with the others of
    // its day.
    private static final String LOOKED = """
            , flow AS MATERIALIZED (
                SELECT w.id, w.state
                  FROM (SELECT DISTINCT workflow_id FROM given) AS g
                 CROSS JOIN LATERAL (SELECT w.id, w.state FROM rowlock.workflow w WHERE w.id = g.workflow_id OFFSET 0) AS w
            ), found AS MATERIALIZED (
                %s
            ), looked AS MATERIALIZED (
                SELECT m.*,
                       CASE WHEN m.job_id < 0
                            THEN (SELECT CASE s.state WHEN 'succeeded' THEN 2 WHEN 'failed' THEN 1 WHEN 'cancelled' THEN 3 ELSE 0 END
                                    FROM rowlock.workflow s WHERE s.id = -m.job_id)
                            ELSE coalesce(f.now_state,
                                          (SELECT 0 FROM rowlock.running r WHERE r.id = m.job_id),
                                          (SELECT 0 FROM rowlock.ready r WHERE r.id = m.job_id),
                                          %s
                                          1)
                       END AS now_state
                  FROM given m LEFT JOIN found f ON f.id = m.job_id
            )
            """;

    private static final String DONE = "CASE d.state WHEN 'completed' THEN 2 ELSE 3 END ";

    // Most of those that somebody has heard of were done a moment ago: so all together in the partition of this day.
    // Others died, and next to none was
    // done before.
    private static final String LOOKED_IN_DONE = LOOKED.formatted(
            "SELECT d.id, " + DONE + """
             AS now_state FROM rowlock.done d
                 WHERE d.id = ANY (ARRAY(SELECT job_id FROM given WHERE job_id > 0))
                   AND d.finished_at BETWEEN statement_timestamp() - interval '10 minutes' AND statement_timestamp() + interval '10 minutes'""", """
            (SELECT 0 FROM rowlock.waiting r WHERE r.id = m.job_id),
                                          (SELECT 1 FROM rowlock.dead r WHERE r.id = m.job_id),
                                          (SELECT\s""" + DONE + "FROM rowlock.done_jobs(ARRAY[m.job_id]) d LIMIT 1),");

    // Most of those that have not ended, as far as anybody knows, wait for others.
    private static final String LOOKED_IN_WAITING = LOOKED.formatted(
            """
            (SELECT r.id, 0 AS now_state FROM rowlock.waiting r WHERE r.id = ANY (ARRAY(SELECT job_id FROM given WHERE job_id > 0)) ORDER BY r.id)
                UNION ALL
                SELECT d.id,\s""" + DONE + "FROM rowlock.done_jobs(ARRAY(SELECT job_id FROM given WHERE job_id > 0)) d", "");

    // The rows are found by their places, so there is no index to choose a wrong one. "+ 0": nor one to be walked
    // through for the join.
    private static final String MARKED = """
            , changed AS MATERIALIZED (
                -- One that was skipped stays so: it was cancelled because of that.
                SELECT * FROM looked WHERE now_state <> state AND NOT (state = 4 AND now_state = 3)
            ), marked AS (
                UPDATE rowlock.workflow_job m SET state = c.now_state
                  FROM changed c
                 WHERE m.ctid = ANY (ARRAY(SELECT place FROM changed)) AND m.job_id + 0 = c.job_id AND m.state + 0 = c.state
                RETURNING m.job_id, m.workflow_id, m.step_no, m.state
            )
            """;

    /** Notes the ends of these jobs, with one parameter: {@code given} are the jobs, {@code flow} their workflows, {@code marked} what has changed. */
    static final String HEARD_AND_MARKED = HEARD + LOOKED_IN_DONE + MARKED;

    private static final String TOUCHED = """
            SELECT workflow_id, step_no, bool_or(state IN (1, 3)), bool_or(state = 0), NULL::bigint, NULL::int, NULL::bigint
              FROM marked GROUP BY workflow_id, step_no
            """;

    private static final String END = """
            UNION ALL
            SELECT NULL, NULL, NULL, NULL, l.workflow_id, l.step_no, l.job_id
              FROM (SELECT * FROM walked ORDER BY workflow_id DESC, step_no DESC, job_id DESC LIMIT 1) AS l
             WHERE (SELECT count(*) FROM walked) = ? /* limit */
            """;

    /**
     * Jobs of a step have ended, or live again.
     *
     * @param failed some of them have not completed
     * @param again some of them live again
     */
    public record Touched(StepKey step, boolean failed, boolean again) {}

    /** How far a walk through all jobs has come. */
    public record JobPosition(long workflow, int step, long job) {

        public static final JobPosition FRONT = new JobPosition(0, -1, 0);
    }

    /** What a look has found; {@code end} is null where there is nothing behind it. */
    public record Marked(List<Touched> steps, @Nullable JobPosition end) {}

    private final Database database;

    /** Notes in workflow_job how given jobs have ended. */
    private final String heard;

    /** Walks past so many jobs of workflows behind a place, and notes which of them have ended. */
    private final String stretch;

    public MarkEndedJobs(Database database) {
        this.database = database;
        this.heard = database.sql(IndexPlan.LOOKS_PREFIX + HEARD_AND_MARKED + TOUCHED);
        this.stretch = database.sql(IndexPlan.LOOKS_PREFIX + STRETCH + LOOKED_IN_WAITING + MARKED + TOUCHED + END);
    }

    /** Looks at these jobs; a negative id is a workflow within another. */
    public List<Touched> heard(Collection<Long> ids) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, heard)) {
                statement.setObject(1, Columns.longs(List.copyOf(ids), Long::longValue));
                return read(statement).steps();
            }
        });
    }

    /** Walks past so many jobs behind a place, and looks at those that have not ended well. */
    public Marked stretch(JobPosition behind, int limit) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, stretch)) {
                statement.setLong(1, behind.workflow());
                statement.setInt(2, behind.step());
                statement.setLong(3, behind.job());
                statement.setInt(4, limit);
                statement.setLong(5, behind.workflow());
                statement.setInt(6, limit);
                statement.setInt(7, limit);
                return read(statement);
            }
        });
    }

    private static Marked read(PreparedStatement statement) throws SQLException {
        List<Touched> steps = new ArrayList<>();
        JobPosition end = null;
        try (ResultSet rows = IndexPlan.query(statement)) {
            while (rows.next()) {
                Long workflow = Columns.number(rows, 1);
                if (workflow != null) {
                    steps.add(
                            new Touched(new StepKey(workflow, rows.getInt(2)), rows.getBoolean(3), rows.getBoolean(4)));
                } else {
                    end = new JobPosition(rows.getLong(5), rows.getInt(6), rows.getLong(7));
                }
            }
        }
        return new Marked(steps, end);
    }
}
