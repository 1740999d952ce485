package dev.rowlock.queue.internal.store.workflow.read;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.internal.store.workflow.StepKey;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what the completed jobs of a step have left as results. */
public final class ReadStepResults {

    // Also says whether there is such a step, and whether the reader's step names it: one look-up each.
    private static final String SQL = """
            SELECT own.workflow_id, own.step_no, p.step_no, e.parent_no IS NOT NULL, s.job_id, s.result, s.jobs
              FROM (SELECT ?::bigint AS id) AS reader
             -- One look after the other, in orders that only one index has: joined, tables that are believed to be empty would be read as a whole.
             CROSS JOIN LATERAL (
                   SELECT m.workflow_id, m.step_no FROM rowlock.workflow_job m
                    WHERE m.job_id BETWEEN reader.id AND reader.id
                    ORDER BY m.job_id OFFSET 0) AS own
              LEFT JOIN LATERAL (
                   SELECT p.step_no FROM rowlock.workflow_step p WHERE p.workflow_id = own.workflow_id AND p.name = ? OFFSET 0) AS p ON true
              LEFT JOIN LATERAL (
                   SELECT e.parent_no FROM rowlock.workflow_edge e
                    WHERE e.workflow_id = own.workflow_id AND e.child_no BETWEEN own.step_no AND own.step_no AND e.parent_no BETWEEN p.step_no AND p.step_no
                    ORDER BY e.child_no, e.parent_no OFFSET 0) AS e ON true
              LEFT JOIN LATERAL (
                   WITH m AS MATERIALIZED (
                       SELECT m.job_id FROM rowlock.workflow_job m
                        WHERE m.workflow_id = own.workflow_id AND m.state = 2 AND m.step_no BETWEEN p.step_no AND p.step_no AND m.job_id > ?
                        ORDER BY m.step_no, m.job_id LIMIT ?)
                   SELECT found.job_id, found.result, found.jobs
                     FROM (SELECT m.job_id, d.result, count(*) OVER () AS jobs,
                                  coalesce(sum(octet_length(d.result::text)) OVER (ORDER BY m.job_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
                             FROM m
                             -- A job that is not kept any more comes without a result: it must not be passed over.
                             LEFT JOIN rowlock.done_jobs(ARRAY(SELECT m.job_id FROM m)) AS d ON d.id = m.job_id) AS found
                    WHERE found.before < ?
                   ) AS s ON true
             ORDER BY s.job_id
            """;

    /** No further result is answered once there are so many bytes of them: they are on the way, and in memory, at once. */
    static final int RESULT_BYTES = 4 << 20;

    /** @param result JSON; null: none is kept */
    public record Result(long job, @Nullable String result) {}

    /**
     * What was found.
     *
     * @param own the step of the job that reads; null: it belongs to no workflow
     * @param step the number of the step that was named; null: there is none
     * @param direct whether the reader's step names it
     * @param all whether no more results follow; otherwise ask again behind the last of these
     */
    public record Found(
            @Nullable StepKey own, @Nullable Integer step, boolean direct, List<Result> results, boolean all) {}

    private final Database database;
    private final String sql;

    public ReadStepResults(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** So many at most, and fewer if they are large, of the workflow to which a job belongs, behind an id. */
    public Found run(long job, String step, long behind, int limit) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                statement.setLong(1, job);
                statement.setString(2, step);
                statement.setLong(3, behind);
                statement.setInt(4, limit);
                statement.setInt(5, RESULT_BYTES);
                try (ResultSet rows = statement.executeQuery()) {
                    return read(rows, limit);
                }
            }
        });
    }

    private static Found read(ResultSet rows, int limit) throws SQLException {
        StepKey own = null;
        Integer step = null;
        boolean direct = false;
        int jobs = 0;
        List<Result> results = new ArrayList<>();
        while (rows.next()) {
            own = new StepKey(rows.getLong(1), rows.getInt(2));
            step = Columns.integer(rows, 3);
            direct = rows.getBoolean(4);
            Long job = Columns.number(rows, 5);
            if (job != null) {
                results.add(new Result(job, rows.getString(6)));
                jobs = rows.getInt(7);
            }
        }
        return new Found(own, step, direct, List.copyOf(results), jobs < limit && results.size() == jobs);
    }
}
