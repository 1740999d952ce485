package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How quickly jobs of a queue, or of a key in it, have completed in the last minute. Of the jobs that have ended it looks at those that were
 * enqueued last, up to a number, so its cost does not grow.
 */
final class ReadPace {

    /** So many ended jobs are looked at, of all queues. */
    private static final int MOST = 10_000;

    private static final String SQL = """
            SELECT count(*), extract(epoch FROM clock_timestamp() - min(finished_at)) AS seconds
              -- No other condition in here: with one, it would read on until it has found so many.
              FROM (SELECT queue, job_key, state, finished_at FROM rowlock.done WHERE finished_at >= :since ORDER BY id DESC LIMIT :most) AS youngest
             WHERE finished_at > clock_timestamp() - interval '1 minute' AND state = 'completed'
               AND queue = :queue AND (:key::text IS NULL OR job_key = :key)
            """;

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Times vary: a few jobs say nothing about those that come. */
    private static final int FEWEST = 5;

    private final String sql;

    ReadPace(Database database) {
        this.sql = database.sql(SQL);
    }

    /**
     * In what time so many jobs end, if they end as quickly. Empty where too few have ended, or nothing is kept of jobs that have.
     *
     * @param key null: all jobs of the queue count
     */
    Optional<Duration> timeFor(Connection connection, long jobs, String queue, @Nullable String key)
            throws SQLException {
        return ColdStatement.on(connection, sql)
                .set("since", ServerTime.ago(connection, MINUTE).truncatedTo(ChronoUnit.DAYS)) // where partitions begin
                .set("most", MOST)
                .set("queue", queue)
                .set("key", key)
                .only(row -> {
                    long ended = row.getLong(1);
                    double seconds = row.getDouble("seconds");
                    return ended < FEWEST || seconds <= 0
                            ? Optional.empty()
                            : Optional.of(Duration.ofMillis(Math.round(1_000 * seconds * jobs / ended)));
                });
    }
}
