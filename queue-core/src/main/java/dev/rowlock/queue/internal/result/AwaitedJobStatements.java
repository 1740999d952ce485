package dev.rowlock.queue.internal.result;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TimeLimit;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.result.JobProgress;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What those ask who wait for jobs: which have ended and how, whether one lives, how far one is. */
final class AwaitedJobStatements {

    // A snapshot sees each job in exactly one room. Most have not ended: they cost a look by primary key into two or
    // three rooms, and only the others one into done. Each result may be a megabyte, and all of an answer are on the
    // way, and in memory, at once: so there is a limit, also for their sum.
    private static final String SQL = """
            WITH ended AS MATERIALIZED (
                SELECT a.id FROM unnest(?::bigint[]) AS a (id)
                 WHERE coalesce((SELECT r.id FROM rowlock.running r WHERE r.id = a.id),
                                (SELECT r.id FROM rowlock.ready r WHERE r.id = a.id),
                                (SELECT w.id FROM rowlock.waiting w WHERE w.id = a.id)) IS NULL
                 LIMIT ?
            )
            SELECT found.id, found.state, found.result, found.error, found.jobs
              FROM (SELECT ended.id, coalesce(d.state, x.state) AS state, d.result, x.error, count(*) OVER () AS jobs,
                           coalesce(sum(octet_length(d.result::text)) OVER (ORDER BY ended.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
                      FROM ended
                      LEFT JOIN rowlock.done_jobs(ARRAY(SELECT id FROM ended)) AS d ON d.id = ended.id
                      LEFT JOIN LATERAL (SELECT state, errors -> -1 AS error FROM rowlock.dead WHERE id = ended.id LIMIT 1) AS x ON true) AS found
             WHERE found.before < ?
            """;

    // Finds a job that has not ended. Not in done: that would lock each of its partitions until the caller's commit.
    private static final String LIVES = """
            SELECT EXISTS (SELECT FROM rowlock.ready WHERE id = :job) OR EXISTS (SELECT FROM rowlock.waiting WHERE id = :job)
                OR EXISTS (SELECT FROM rowlock.running WHERE id = :job)
            """;

    private static final String PROGRESS =
            "SELECT progress, progress_note FROM rowlock.running WHERE id = :job AND progress IS NOT NULL";

    /** So many are answered at once. */
    static final int LIMIT = 64;

    /** No further result is answered once there are so many bytes of them. */
    static final int RESULT_BYTES = 4 << 20;

    /**
     * An answer.
     *
     * @param all whether all that have ended are in it; otherwise ask again for the others
     */
    public record Found(List<Ended> ended, boolean all) {}

    /**
     * A job that does not live.
     *
     * @param state null: it is in no room
     * @param result JSON
     * @param error the last one, JSON
     */
    public record Ended(
            long id,
            @Nullable String state,
            @Nullable String result,
            @Nullable String error) {}

    private final Database database;

    /** Reads how those of given jobs ended that have: state, result, last error. */
    private final String sql;

    public AwaitedJobStatements(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Whether the caller has an open transaction, and that sees the job, which has not ended. On its connection. */
    public boolean livesHere(long id) {
        return database.standing().joins()
                && database.joined(connection -> ColdStatement.on(connection, database.sql(LIVES))
                        .set("job", id)
                        .only(row -> row.getBoolean(1)));
    }

    /** Outside the caller's transaction. */
    public Found run(long[] ids) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, TimeLimit.before(connection, sql))) {
                statement.setObject(1, ids);
                statement.setInt(2, LIMIT);
                statement.setInt(3, RESULT_BYTES);
                try (ResultSet rows = TimeLimit.query(statement)) {
                    List<Ended> ended = new ArrayList<>();
                    int jobs = 0;
                    while (rows.next()) {
                        ended.add(new Ended(rows.getLong(1), rows.getString(2), rows.getString(3), rows.getString(4)));
                        jobs = rows.getInt(5);
                    }
                    return new Found(ended, jobs < LIMIT && ended.size() == jobs);
                }
            }
        });
    }

    /** Empty: its handler does not run, or has not said. In the caller's transaction if there is one. */
    public Optional<JobProgress> progress(long id) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(PROGRESS))
                .set("job", id)
                .first(row -> new JobProgress(row.getInt(1), row.getString(2))));
    }
}
