package dev.rowlock.queue.internal.store.workflow;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what the completed jobs of a step have left as results. */
public final class ReadStepResults {

    private static final String SQL = """
            SELECT s.job_id, d.result
              FROM rowlock.workflow_job own
              JOIN rowlock.workflow w ON w.id = own.workflow_id
             CROSS JOIN LATERAL (
                   SELECT m.job_id FROM rowlock.workflow_step p
                     JOIN rowlock.workflow_job m ON m.workflow_id = p.workflow_id AND m.state = 2 AND m.step_no = p.step_no
                    WHERE p.workflow_id = own.workflow_id AND p.name = ? AND m.job_id > ?
                    ORDER BY m.job_id LIMIT ?) AS s
              -- A job that is not kept any more comes without a result: it must not be passed over.
              LEFT JOIN LATERAL (
                   SELECT d.result FROM rowlock.done d
                    WHERE d.id = s.job_id AND d.finished_at >= least(w.started_at, statement_timestamp()) - interval '1 day' LIMIT 1) AS d ON true
             WHERE own.job_id = ?
             ORDER BY s.job_id
            """;

    /** @param result JSON; null: none is kept */
    public record Result(long job, @Nullable String result) {}

    private static final Row<Result> ROW = row -> new Result(row.getLong(1), row.getString(2));

    private final Database database;
    private final String sql;

    public ReadStepResults(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** So many at most, of the workflow to which a job belongs, behind an id. */
    public List<Result> run(long job, String step, long behind, int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setString(1, step);
                statement.setLong(2, behind);
                statement.setInt(3, limit);
                statement.setLong(4, job);
                return ROW.all(statement);
            }
        });
    }
}
