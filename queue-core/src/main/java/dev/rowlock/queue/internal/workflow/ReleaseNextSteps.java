package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.workflow.MarkEndedJobs.Touched;
import dev.rowlock.queue.internal.workflow.ReleaseFewJobs.Released;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Notes which jobs of workflows have ended, as {@link MarkEndedJobs}, and lets those steps run in the same statement that wait for nothing but one of
 * them. In a chain that is all there is to do. It waits for nobody: what somebody has locked is left to {@link DecideSteps}.
 */
final class ReleaseNextSteps {

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
     * What was noted.
     *
     * @param steps behind which others may go on
     * @param released what went on in the same moment
     */
    public record Heard(List<Touched> steps, Released released) {}

    private final Database database;

    /** Notes in workflow_job how given jobs have ended, and releases the steps that wait for these alone. */
    private final String sql;

    public ReleaseNextSteps(Database database) {
        this.database = database;
        this.sql = database.sql(IndexPlan.LOOKS_PREFIX
                + MarkEndedJobs.HEARD_AND_MARKED
                + NEXT
                + ReleaseFewJobs.SQL
                + ReleaseFewJobs.RESULT
                + REST);
    }

    /**
     * Looks at these jobs; a negative id is a workflow within another.
     *
     * @param fewerThan so many jobs of a step run at once
     */
    public Heard run(Collection<Long> ids, int fewerThan) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, Columns.longs(List.copyOf(ids), Long::longValue));
                for (int parameter = 2; parameter <= 4; parameter++) {
                    statement.setInt(parameter, fewerThan);
                }
                List<Touched> steps = new ArrayList<>();
                ReleaseFewJobs.Reader released = new ReleaseFewJobs.Reader();
                try (ResultSet rows = IndexPlan.query(statement)) {
                    while (rows.next()) {
                        if (rows.getInt(1) == 3) {
                            StepKey step = new StepKey(rows.getLong(2), rows.getInt(3));
                            steps.add(new Touched(step, rows.getBoolean(4), rows.getBoolean(5)));
                        } else {
                            released.read(rows);
                        }
                    }
                }
                return new Heard(steps, released.released());
            }
        });
    }
}
