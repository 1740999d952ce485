package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.internal.enqueue.IntoRooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.WaitReason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Inserts jobs of a workflow. Those whose step waits for others lie in waiting, with a due time that never comes. */
public final class InsertWorkflowJobs {

    /** A due time that does not come: the last one that a job may have. */
    public static final Due NEVER = Due.at(Instant.parse("2255-01-01T00:00:00Z"));

    private static final String SQL = """
            WITH created AS MATERIALIZED (
                SELECT nextval('rowlock.job_id') AS id, j.*
                  FROM unnest(%s, ?::int[], ?::boolean[], ?::text[]) AS j (%s, step_no, held, next_steps)
            """.formatted(NewJob.PARAMETERS, NewJob.COLUMNS)
            + IntoRooms.ASIDE
            + IntoRooms.readyOrWaiting(
                    "CASE WHEN held THEN '%s' ELSE 'scheduled' END".formatted(WaitReason.PARENTS.label()))
            + """
            , members AS (
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, next_steps)
                SELECT id, ?, step_no, next_steps::int[] FROM created
            )
            SELECT id FROM created ORDER BY id
            """;

    /**
     * One of them.
     *
     * @param held whether its step waits for others
     * @param next the steps that wait for nothing else; empty: there are none, or there is more to be decided behind it
     */
    public record Member(NewJob job, int step, boolean held, List<Integer> next) {

        NewJob asInserted() {
            return held ? job.with(job.headers(), NEVER) : job;
        }

        /** As the server reads an array. */
        @Nullable
        String nextSteps() {
            return next.isEmpty()
                    ? null
                    : next.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
        }
    }

    private final String sql;

    public InsertWorkflowJobs(Schema schema) {
        this.sql = schema.sql(SQL);
    }

    /** Returns their ids in the same order. */
    public long[] run(Connection connection, long workflow, List<Member> members) throws SQLException {
        List<NewJob> jobs = members.stream().map(Member::asInserted).toList();
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
            int next = NewJob.setAll(statement, 1, jobs);
            statement.setObject(next++, members.stream().mapToInt(Member::step).toArray());
            statement.setObject(next++, Columns.flags(members, Member::held));
            statement.setObject(next++, Columns.texts(members, Member::nextSteps));
            statement.setLong(next, workflow);
            try (ResultSet rows = statement.executeQuery()) {
                return Ids.read(rows, jobs.size());
            }
        }
    }
}
