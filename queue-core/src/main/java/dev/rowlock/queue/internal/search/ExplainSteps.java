package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.text.CountText;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says which steps of its workflow a job waits for, and what helps where nothing happens by itself. */
final class ExplainSteps {

    /** So many steps are described. */
    private static final int DESCRIBED = 10;

    /** Jobs of a step are counted up to this. */
    private static final int COUNTED = 100_000;

    // As in DecideSteps: what holds up a step is a parent that goes on, a dead job that somebody may redrive, or that
    // nothing has failed.
    private static final String SQL = """
            WITH own AS MATERIALIZED (
                SELECT m.workflow_id, m.step_no, s.name, s.state, w.state AS workflow_state
                  FROM rowlock.workflow_job m
                  JOIN rowlock.workflow_step s ON s.workflow_id = m.workflow_id AND s.step_no = m.step_no
                  JOIN rowlock.workflow w ON w.id = m.workflow_id
                 WHERE m.job_id = :id
            ), parent AS MATERIALIZED (
                SELECT p.workflow_id, p.step_no, p.name, e.runs_after, p.accepts AND p.state <> 'skipped' AS accepts, p.state = 'waiting' AS waits,
                       p.accepts AND p.state <> 'skipped' OR p.state IN ('waiting', 'releasing', 'skipping', 'reviving')
                       OR EXISTS (SELECT FROM rowlock.workflow_job m
                                   WHERE m.workflow_id = p.workflow_id AND m.step_no = p.step_no AND m.state = 0) AS going_on,
                       EXISTS (SELECT FROM rowlock.workflow_job m
                                WHERE m.workflow_id = p.workflow_id AND m.step_no = p.step_no AND m.failure = 1) AS failed,
                       EXISTS (SELECT FROM rowlock.workflow_job m
                                WHERE m.workflow_id = p.workflow_id AND m.step_no = p.step_no AND m.failure >= 3) AS cancelled
                  FROM own o
                  JOIN rowlock.workflow_edge e ON e.workflow_id = o.workflow_id AND e.child_no = o.step_no
                  JOIN rowlock.workflow_step p ON p.workflow_id = e.workflow_id AND p.step_no = e.parent_no
            ), holding AS MATERIALIZED (
                SELECT *, runs_after = 'success-or-hold' AND failed AS needs_redrive, count(*) OVER () AS steps
                  FROM (SELECT *, bool_or(failed OR cancelled) OVER (PARTITION BY runs_after) AS any_failed FROM parent) AS p
                 WHERE CASE runs_after WHEN 'failure' THEN NOT any_failed
                                       WHEN 'success-or-hold' THEN going_on OR failed
                                       ELSE going_on END
                 ORDER BY needs_redrive DESC, accepts AND runs_after <> 'failure' DESC, runs_after, step_no
                 LIMIT :described
            )
            SELECT o.workflow_id, o.name AS own_name, o.state AS own_state, o.workflow_state, h.*, c.jobs, c.open, f.failures, d.job_id AS dead_job,
                   CASE WHEN d.job_id < 0 THEN 'workflow'
                        WHEN d.dead THEN 'dead'
                        WHEN EXISTS (SELECT FROM rowlock.jobs_by_id(ARRAY[d.job_id])) THEN 'redriven'
                        ELSE 'discarded' END AS dead_is
              FROM own o
              LEFT JOIN holding h ON true
              LEFT JOIN LATERAL (
                   SELECT count(*) AS jobs, count(*) FILTER (WHERE m.state = 0) AS open
                     FROM (SELECT m.state FROM rowlock.workflow_job m
                            WHERE m.workflow_id = h.workflow_id AND m.step_no = h.step_no LIMIT :counted) AS m) AS c ON true
              LEFT JOIN LATERAL (
                   SELECT count(*) AS failures FROM rowlock.workflow_job m
                    WHERE h.needs_redrive AND m.workflow_id = h.workflow_id AND m.step_no = h.step_no AND m.failure = 1) AS f ON true
              LEFT JOIN LATERAL (
                   SELECT m.job_id, EXISTS (SELECT FROM rowlock.dead d WHERE d.id = m.job_id) AS dead
                     FROM (SELECT m.job_id FROM rowlock.workflow_job m
                            WHERE h.needs_redrive AND m.workflow_id = h.workflow_id AND m.step_no = h.step_no AND m.failure = 1
                            ORDER BY m.job_id LIMIT 100) AS m
                    ORDER BY 2 DESC, m.job_id LIMIT 1) AS d ON true
             ORDER BY h.needs_redrive DESC, h.accepts AND h.runs_after <> 'failure' DESC, h.runs_after, h.step_no
            """;

    private final String sql;

    ExplainSteps(Database database) {
        this.sql = database.sql(SQL);
    }

    /** One sentence for each step, with the first those that somebody must do something about; never empty. */
    List<String> run(Connection connection, long job) throws SQLException {
        return ColdStatement.on(connection, sql)
                .set("id", job)
                .set("described", DESCRIBED)
                .set("counted", COUNTED + 1)
                .first(ExplainSteps::sentences)
                .orElse(List.of("It waits for steps of a workflow that is not there any more; cancel it."));
    }

    /** Reads all rows. */
    private static List<String> sentences(ResultSet row) throws SQLException {
        String own = "Step '%s' of workflow %d ".formatted(row.getString("own_name"), row.getLong(1));
        long steps = row.getLong("steps");
        if (steps == 0) {
            return List.of(own + decided(row));
        }
        List<String> sentences = new ArrayList<>();
        List<String> ifFailed = new ArrayList<>();
        do {
            String when = row.getString("runs_after");
            String parent = "'" + row.getString("name") + "'";
            if (when.equals("failure")) {
                ifFailed.add(parent);
            } else {
                String remedy = row.getBoolean("needs_redrive") ? remedy(row) : null;
                sentences.add(
                        remedy != null
                                ? "%swaits for step %s: %s.".formatted(own, parent, remedy)
                                : own + goingOn(row, when, parent) + ".");
            }
        } while (row.next());
        if (!ifFailed.isEmpty()) {
            sentences.add("%sruns only if a job of step %s fails.".formatted(own, oneOf(ifFailed)));
        }
        if (steps > DESCRIBED) {
            long more = steps - DESCRIBED;
            sentences.add("%swaits for %s.".formatted(own, CountText.of(more, "more step")));
        }
        return sentences;
    }

    private static String decided(ResultSet row) throws SQLException {
        return row.getString("workflow_state").equals("cancelling")
                ? "is being cancelled with the workflow."
                : row.getString("own_state").equals("waiting")
                        ? "runs after steps that have just ended; a node is about to decide whether it runs."
                        : "waits for no step any more; a node is about to move its jobs.";
    }

    /** Null: it has been redriven. */
    private static @Nullable String remedy(ResultSet row) throws SQLException {
        long job = row.getLong("dead_job");
        long failures = row.getLong("failures");
        return switch (row.getString("dead_is")) {
            case "workflow" -> "its workflow %d has failed; redrive the dead jobs of that one".formatted(-job);
            case "dead" ->
                failures == 1
                        ? "its job %d is dead; redrive it".formatted(job)
                        : "%d of its jobs are dead, such as job %d; redrive them".formatted(failures, job);
            case "discarded" ->
                "its job %d was discarded, so this step is skipped once the other jobs have ended".formatted(job);
            default -> null;
        };
    }

    private static String goingOn(ResultSet row, String when, String parent) throws SQLException {
        boolean accepts = row.getBoolean("accepts");
        return "%s the %s of step %s%s%s"
                .formatted(
                        accepts ? "waits for" : "runs after",
                        when.equals("end") ? "end" : "success",
                        parent,
                        accepts ? ", which takes more jobs until somebody closes it" : "",
                        progress(row, accepts));
    }

    private static String progress(ResultSet row, boolean accepts) throws SQLException {
        long jobs = row.getLong("jobs");
        long open = row.getLong("open");
        boolean waiting = row.getBoolean("waits");
        String waits = waiting ? "; it waits for other steps itself" : "";
        if (open == 0) {
            return waiting ? " (it waits for other steps itself)" : accepts ? "" : " (its jobs have just ended)";
        } else if (jobs > COUNTED) {
            return " (some of more than %d jobs have not ended%s)".formatted(COUNTED, waits);
        }
        return jobs == 1
                ? " (its only job has not ended%s)".formatted(waits)
                : " (%d of %d jobs %s not ended%s)".formatted(open, jobs, open == 1 ? "has" : "have", waits);
    }

    private static String oneOf(List<String> names) {
        int last = names.size() - 1;
        return last == 0 ? names.get(0) : String.join(", ", names.subList(0, last)) + " or " + names.get(last);
    }
}
