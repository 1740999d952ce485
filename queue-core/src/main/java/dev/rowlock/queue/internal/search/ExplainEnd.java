package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.job.FailedAttempt;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says how a job has ended, and why, as far as its row, its workflow and the audit know. */
final class ExplainEnd {

    /** Of the message of an error. */
    private static final int MESSAGE = 500;

    // What cancels a job because of something else adds an error in the same statement, so at the same time. An error
    // from before says nothing of the end. Whoever cancels by hand is found in the audit, which only has an index by
    // time: the line is written by the statement that cancels, or that asks a running job to stop.
    private static final String SQL = """
            WITH RECURSIVE job AS MATERIALIZED (
                SELECT id, state, attempt, claimed_at, ended_at, errors -> -1 AS error FROM rowlock.jobs_by_id(ARRAY[:id::bigint])
            ), within AS (
                SELECT m.workflow_id FROM job j JOIN rowlock.workflow_job m ON m.job_id = j.id WHERE j.state = 'cancelled'
                UNION
                SELECT m.workflow_id FROM within w JOIN rowlock.workflow_job m ON m.job_id = -w.workflow_id
            )
            SELECT j.ended_at, j.state, j.attempt, j.claimed_at IS NOT NULL AS ran, j.error ->> 'type' AS error_type, j.id, j.error - 'trace' AS error,
                   j.error ->> 'attempt' AS failed_attempt, j.state = 'cancelled' AND (j.error ->> 'at')::timestamptz = j.ended_at AS with_error,
                   (SELECT 'step ''' || s.name || ''' of workflow ' || s.workflow_id
                      FROM rowlock.workflow_job m JOIN rowlock.workflow_step s ON s.workflow_id = m.workflow_id AND s.step_no = m.step_no
                     WHERE m.job_id = j.id) AS step,
                   (SELECT d.last_job = 0 FROM rowlock.dead d WHERE d.id = j.id) AS skipped,
                   hand.who, hand.why, workflow.id AS workflow_id, workflow.who AS workflow_who, workflow.why AS workflow_why
              FROM job j
              LEFT JOIN LATERAL (
                   SELECT a.who, a.why FROM rowlock.audit a
                    WHERE j.state = 'cancelled' AND a.at BETWEEN coalesce(j.claimed_at, j.ended_at - interval '1 minute') AND j.ended_at
                      AND a.action = 'cancel' AND a.subject = 'job ' || j.id
                    ORDER BY a.at DESC LIMIT 1) AS hand ON true
              LEFT JOIN LATERAL (
                   SELECT w.id, a.who, a.why
                     FROM within i
                     JOIN rowlock.workflow w ON w.id = i.workflow_id AND w.state IN ('cancelling', 'cancelled')
                     LEFT JOIN LATERAL (
                          SELECT a.who, a.why, a.at FROM rowlock.audit a
                           WHERE a.at BETWEEN w.started_at AND j.ended_at AND a.action = 'cancel workflow' AND a.subject = 'workflow ' || w.id
                           ORDER BY a.at DESC LIMIT 1) AS a ON true
                    ORDER BY a.at LIMIT 1) AS workflow ON true
            """;

    private final String sql;
    private final ErrorHistory errors;

    ExplainEnd(Database database) {
        this.sql = database.sql(SQL);
        this.errors = new ErrorHistory(database.encryption());
    }

    /** One sentence about a job that has ended. */
    String run(Connection connection, long job) throws SQLException {
        return ColdStatement.on(connection, sql)
                .set("id", job)
                .first(row -> "It has ended at %s: %s.".formatted(row.getString("ended_at"), how(row)))
                .orElse("It has ended, and was removed in this moment.");
    }

    private String how(ResultSet row) throws SQLException {
        String state = Objects.requireNonNull(row.getString("state"));
        return switch (state) {
            case "cancelled" -> "cancelled" + cancelled(row);
            case "dead", "quarantined" ->
                state
                        + error(row)
                        + (row.getBoolean("skipped") ? "; it was skipped, and does not hold up its key" : "");
            default -> state;
        };
    }

    private String error(ResultSet row) throws SQLException {
        String type = row.getString("error_type");
        if (type == null) {
            return "";
        }
        String message = message(row);
        return " at attempt %s: %s%s"
                .formatted(row.getString("failed_attempt"), type, message.isEmpty() ? "" : ": " + message);
    }

    private String message(ResultSet row) throws SQLException {
        FailedAttempt error = errors.decodeOne(row.getLong("id"), row.getString("error"));
        String line =
                error == null ? "" : error.message().strip().lines().findFirst().orElse("");
        return line.length() > MESSAGE ? line.substring(0, MESSAGE) + " ..." : line;
    }

    private String cancelled(ResultSet row) throws SQLException {
        if (row.getBoolean("with_error")) {
            return "skipped".equals(row.getString("error_type"))
                    ? ", because %s was skipped: a step that it runs after ended otherwise"
                            .formatted(row.getString("step") == null ? "its step" : row.getString("step"))
                    : ", because %s (in-order: cancel-rest)".formatted(message(row));
        }
        String when = row.getBoolean("ran") ? " while it ran" : "";
        if (row.getString("who") != null) {
            return when + by(row.getString("who"), row.getString("why"));
        }
        long workflow = row.getLong("workflow_id");
        if (!row.wasNull()) {
            return "%s with workflow %d%s"
                    .formatted(when, workflow, by(row.getString("workflow_who"), row.getString("workflow_why")));
        }
        return when + "; the audit has no line about this job, for instance because a bulk action cancelled it";
    }

    private static String by(@Nullable String who, @Nullable String why) {
        return who == null ? "" : " by " + who + (why == null ? "" : " (" + why + ")");
    }
}
