package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Encryption;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.workflow.NoSuchStepException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Results of earlier steps, for jobs of later ones, in the caller's transaction if there is one. */
final class StepResults {

    // Also says whether there is such a step, and whether the reader's step names it: one look-up each.
    private static final String RESULTS = """
            SELECT own.workflow_id, own.step_no, p.step_no, e.parent_no IS NOT NULL, s.job_id, s.result, s.jobs
              FROM (SELECT :job::bigint AS id) AS reader
             -- One look after the other, in orders that only one index has: joined, tables that are believed to be empty would be read as a whole.
             CROSS JOIN LATERAL (
                   SELECT m.workflow_id, m.step_no FROM rowlock.workflow_job m
                    WHERE m.job_id BETWEEN reader.id AND reader.id
                    ORDER BY m.job_id OFFSET 0) AS own
              LEFT JOIN LATERAL (
                   SELECT p.step_no FROM rowlock.workflow_step p WHERE p.workflow_id = own.workflow_id AND p.name = :step OFFSET 0) AS p ON true
              LEFT JOIN LATERAL (
                   SELECT e.parent_no FROM rowlock.workflow_edge e
                    WHERE e.workflow_id = own.workflow_id AND e.child_no BETWEEN own.step_no AND own.step_no AND e.parent_no BETWEEN p.step_no AND p.step_no
                    ORDER BY e.child_no, e.parent_no OFFSET 0) AS e ON true
              LEFT JOIN LATERAL (
                   WITH m AS MATERIALIZED (
                       SELECT m.job_id FROM rowlock.workflow_job m
                        WHERE m.workflow_id = own.workflow_id AND m.state = 2 AND m.step_no BETWEEN p.step_no AND p.step_no AND m.job_id > :behind
                        ORDER BY m.step_no, m.job_id LIMIT :limit)
                   SELECT found.job_id, found.result, found.jobs
                     FROM (SELECT m.job_id, d.result, count(*) OVER () AS jobs,
                                  coalesce(sum(octet_length(d.result::text)) OVER (ORDER BY m.job_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
                             FROM m
                             -- A job that is not kept any more comes without a result: it must not be passed over.
                             LEFT JOIN rowlock.done_jobs(ARRAY(SELECT m.job_id FROM m)) AS d ON d.id = m.job_id) AS found
                    WHERE found.before < :bytes
                   ) AS s ON true
             ORDER BY s.job_id
            """;

    private static final String EARLIER = """
            WITH RECURSIVE earlier AS (
                SELECT :later::int AS step_no
                UNION
                SELECT e.parent_no FROM earlier s
                 CROSS JOIN LATERAL (
                       SELECT e.parent_no FROM rowlock.workflow_edge e
                        WHERE e.workflow_id = :workflow AND e.child_no BETWEEN s.step_no AND s.step_no
                        ORDER BY e.child_no, e.parent_no OFFSET 0) AS e -- in this order, because only one index has it
            )
            -- The server computes no more of the walk than is read.
            SELECT name, (SELECT true FROM earlier WHERE step_no = :earlier LIMIT 1)
              FROM rowlock.workflow_step WHERE workflow_id = :workflow AND step_no = :later
            """;

    private static final String NAMES =
            "SELECT name FROM rowlock.workflow_step WHERE workflow_id = :workflow ORDER BY step_no LIMIT :limit";

    /** One more than an error names, so that it can say that there are more. */
    private static final int NAMED = 21;

    /** No further result is answered once there are so many bytes of them: they are on the way, and in memory, at once. */
    static final int RESULT_BYTES = 4 << 20;

    /** @param result JSON; null: none is kept */
    record Result(long job, @Nullable String result) {}

    /**
     * What was found.
     *
     * @param own the step of the job that reads; null: it belongs to no workflow
     * @param step the number of the step that was named; null: there is none
     * @param direct whether the reader's step names it
     * @param all whether no more results follow; otherwise ask again behind the last of these
     */
    record Found(@Nullable StepKey own, @Nullable Integer step, boolean direct, List<Result> results, boolean all) {}

    /**
     * A step of which was asked whether it runs after another one.
     *
     * @param name of the later step
     */
    record Later(String name, boolean runsAfter) {}

    /** One row of an answer; the result is null: there is none on this row. */
    private record Part(
            StepKey own,
            @Nullable Integer step,
            boolean direct,
            @Nullable Result result,
            int jobs) {}

    private static final int MOST = 10_000;
    private static final int AT_ONCE = 100;

    private final Database database;
    private final PayloadCodec codec;

    StepResults(Database database, PayloadCodec codec) {
        this.database = database;
        this.codec = codec;
    }

    <T> T one(JobContext job, String step, Class<T> type) {
        Found found = first(job, step, 2);
        List<Result> results = found.results();
        if (results.size() != 1 || !found.all()) {
            throw new IllegalStateException("step '%s' has %s, not one%s"
                    .formatted(
                            step,
                            results.isEmpty() ? "no completed job" : "several completed jobs",
                            results.isEmpty() ? "" : ": use results"));
        }
        return decoded(results.get(0), step, type);
    }

    <T> List<T> all(JobContext job, String step, Class<T> type) {
        List<T> all = new ArrayList<>();
        Found some = first(job, step, AT_ONCE);
        while (true) {
            for (Result each : some.results()) {
                all.add(decoded(each, step, type));
            }
            if (all.size() > MOST) {
                throw new IllegalStateException(
                        "step '%s' has more than %d results: too many to be in memory at once".formatted(step, MOST));
            }
            if (some.all()) {
                return all;
            }
            long last = some.results().get(some.results().size() - 1).job();
            some = results(job.id(), step, last, AT_ONCE);
        }
    }

    private Found first(JobContext job, String step, int limit) {
        Found found = results(job.id(), Names.step(step), 0, limit);
        StepKey own = found.own();
        Integer number = found.step();
        if (own == null) {
            throw new IllegalStateException(
                    "job %d belongs to no workflow, so there are no steps whose results it could read"
                            .formatted(job.id()));
        }
        if (number == null) {
            throw new NoSuchStepException(
                    own.workflow(), step, database.joined(connection -> names(connection, own.workflow())));
        }
        if (!found.direct()) {
            requireEarlier(own, number, step);
        }
        return found;
    }

    private void requireEarlier(StepKey own, int number, String step) {
        if (number == own.step()) {
            throw new IllegalArgumentException(
                    "a job cannot read results of its own step '%s', whose other jobs may still run: read them in a step with after('%s')"
                            .formatted(step, step));
        }
        later(own, number).filter(found -> !found.runsAfter()).ifPresent(found -> {
            throw new IllegalArgumentException(
                    "step '%s' of workflow %d does not run after step '%s', so only timing decides which of its results are there: add after('%s') to step '%s'"
                            .formatted(found.name(), own.workflow(), step, step, found.name()));
        });
    }

    private <T> T decoded(Result found, String step, Class<T> type) {
        if (found.result() == null) {
            throw new IllegalStateException(
                    "nothing is kept of what job %d of step '%s' returned: its listener returned null, or does not keep results (@JobListener(keepResult = true))"
                            .formatted(found.job(), step));
        }
        String json = database.encryption().open(Encryption.Part.RESULT, found.job(), found.result());
        return type.cast(codec.decode(json, type));
    }

    /** The results of a step of the workflow to which a job belongs, behind an id: so many at most, and fewer if they are large. */
    Found results(long job, String step, long behind, int limit) {
        List<Part> parts = database.joined(connection -> ColdStatement.on(connection, database.sql(RESULTS))
                .set("job", job)
                .set("step", step)
                .set("behind", behind)
                .set("limit", limit)
                .set("bytes", RESULT_BYTES)
                .list(StepResults::part));
        if (parts.isEmpty()) {
            return new Found(null, null, false, List.of(), true);
        }
        Part last = parts.get(parts.size() - 1);
        List<Result> results =
                parts.stream().flatMap(part -> Stream.ofNullable(part.result())).toList();
        boolean all = last.jobs() < limit && results.size() == last.jobs();
        return new Found(last.own(), last.step(), last.direct(), results, all);
    }

    private static Part part(ResultSet row) throws SQLException {
        Long job = Columns.number(row, 5);
        return new Part(
                new StepKey(row.getLong(1), row.getInt(2)),
                Columns.integer(row, 3),
                row.getBoolean(4),
                job == null ? null : new Result(job, row.getString(6)),
                row.getInt(7));
    }

    /** Walks from a step to those that it runs after, nearest first, until it meets a certain one of its workflow. Empty: there is no such step. */
    Optional<Later> later(StepKey later, int earlier) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(EARLIER))
                .set("workflow", later.workflow())
                .set("later", later.step())
                .set("earlier", earlier)
                .first(row -> new Later(row.getString(1), row.getBoolean(2))));
    }

    /** The names of the first steps, in their order, for errors; empty: there is no such workflow. */
    List<String> names(Connection connection, long workflow) throws SQLException {
        return ColdStatement.on(connection, database.sql(NAMES))
                .set("workflow", workflow)
                .set("limit", NAMED)
                .list(row -> row.getString(1));
    }
}
