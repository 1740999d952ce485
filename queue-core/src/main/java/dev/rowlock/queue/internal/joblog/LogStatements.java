package dev.rowlock.queue.internal.joblog;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Row;
import java.util.List;

/** Writes and reads the logs of jobs. */
public final class LogStatements {

    /** Of one job: the oldest lines go first. */
    public static final int MOST_LINES = 1_000;

    // How long ago a line was logged says the node's monotonic clock; when that was, the server's. After an answer that
    // was lost, lines come again: only those that are new now push old ones out. The DELETE does not see them yet.
    private static final String WRITE = """
            WITH line AS MATERIALIZED (
                SELECT * FROM unnest(:jobs::bigint[], :tokens::bigint[], :attempts::smallint[], :numbers::bigint[], :ages::bigint[], :texts::text[])
                              AS l (job_id, token, attempt, number, age, text)
            ), written AS (
                INSERT INTO rowlock.job_log (job_id, token, number, attempt, at, text)
                SELECT job_id, token, number, attempt, clock_timestamp() - age * interval '1 ms', text FROM line
                ON CONFLICT DO NOTHING
                RETURNING job_id
            )
            DELETE FROM rowlock.job_log
             WHERE ctid = ANY (ARRAY(
                   SELECT old.ctid FROM (SELECT job_id, count(*) AS lines FROM written GROUP BY job_id) AS j
                    CROSS JOIN LATERAL (SELECT l.ctid FROM rowlock.job_log l WHERE l.job_id = j.job_id
                                         ORDER BY l.job_id DESC, l.token DESC, l.number DESC
                                        OFFSET greatest(:most - j.lines, 0)) AS old))
            """;

    /** Reads the newest lines of a job, the oldest of them first. */
    private static final String READ = """
            SELECT at, attempt, token, text
              FROM (SELECT * FROM rowlock.job_log WHERE job_id = :job ORDER BY job_id DESC, token DESC, number DESC LIMIT :limit) AS newest
             ORDER BY token, number
            """;

    /**
     * A line that is not written yet.
     *
     * @param number grows with each line of a claim
     * @param atNanos when it was logged, monotonic
     */
    record Line(long jobId, long token, int attempt, long number, long atNanos, String text) {}

    private final Database database;

    public LogStatements(Database database) {
        this.database = database;
    }

    /** Writes these lines, and removes older ones of jobs that have too many. */
    void write(List<Line> lines) {
        long now = System.nanoTime();
        database.alone(connection -> ColdStatement.on(connection, database.sql(WRITE))
                .set("jobs", Columns.longs(lines, Line::jobId))
                .set("tokens", Columns.longs(lines, Line::token))
                .set("attempts", Columns.shorts(lines, Line::attempt))
                .set("numbers", Columns.longs(lines, Line::number))
                .set("ages", Columns.longs(lines, line -> (now - line.atNanos()) / 1_000_000))
                .set("texts", Columns.texts(lines, Line::text))
                .set("most", MOST_LINES)
                .update());
    }

    /** The newest lines of a job, the oldest of them first. */
    public <T> List<T> read(long job, int newest, Row<T> row) {
        return database.joined(connection -> ColdStatement.on(connection, database.sql(READ))
                .set("job", job)
                .set("limit", newest)
                .list(row));
    }
}
