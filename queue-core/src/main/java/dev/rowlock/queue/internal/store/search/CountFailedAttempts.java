package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.search.FailedAttempts;
import dev.rowlock.queue.search.QueueFailures;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How many attempts failed lately, by queue, as the error histories of jobs say it. No index has the times of errors: so jobs are read that may have failed
 * since then, up to a limit in each room. Of live jobs, the front of the room; of dead ones, those that died since then; of done ones, the partitions of that time.
 */
public final class CountFailedAttempts {

    /** How many jobs with errors are read of each room. */
    public static final int FAILED = 10_000;

    private static final String SQL = """
            WITH since AS MATERIALIZED (
                SELECT :since::timestamptz AS since
            ), failed AS MATERIALIZED (
                (SELECT 'waiting' AS room, queue, errors
                   FROM (SELECT * FROM rowlock.waiting ORDER BY due_at, id LIMIT %1$d) AS waiting WHERE errors IS NOT NULL LIMIT %2$d)
                UNION ALL
                (SELECT 'ready', queue, errors
                   FROM (SELECT * FROM rowlock.ready ORDER BY id LIMIT %1$d) AS ready WHERE errors IS NOT NULL LIMIT %2$d)
                UNION ALL
                (SELECT 'running', queue, errors
                   FROM (SELECT * FROM rowlock.running ORDER BY id LIMIT %1$d) AS running WHERE errors IS NOT NULL LIMIT %2$d)
                UNION ALL
                (SELECT 'dead', queue, errors FROM rowlock.dead
                  WHERE died_at >= (SELECT since FROM since) AND errors IS NOT NULL
                  ORDER BY died_at DESC LIMIT %2$d)
                UNION ALL
                (SELECT 'done', queue, errors FROM rowlock.done
                  WHERE finished_at >= :since AND errors IS NOT NULL LIMIT %2$d)
            ), counted AS (
                SELECT f.queue, a.minute, count(*) AS attempts
                  FROM failed AS f CROSS JOIN LATERAL jsonb_path_query(f.errors, '$[*].at') AS at
                 CROSS JOIN LATERAL (SELECT date_trunc('minute', (at #>> '{}')::timestamptz) AS minute) AS a
                 WHERE (at #>> '{}')::timestamptz >= (SELECT since FROM since)
                 GROUP BY GROUPING SETS ((f.queue), (a.minute))
            )
            SELECT whole.complete, c.queue, c.minute, c.attempts
              FROM (SELECT NOT EXISTS (SELECT FROM failed GROUP BY room HAVING count(*) >= %2$d)
                       AND NOT EXISTS (SELECT FROM rowlock.waiting OFFSET %1$d)
                       AND NOT EXISTS (SELECT FROM rowlock.ready OFFSET %1$d) AS complete) AS whole
              LEFT JOIN counted AS c ON true
             ORDER BY c.queue, c.minute
            """.formatted(GroupRetriedJobs.LOOKED_AT, FAILED);

    private final BoundedSearch search;
    private final String sql;

    public CountFailedAttempts(BoundedSearch search) {
        this.search = search;
        this.sql = search.database().sql(SQL);
    }

    public FailedAttempts run(Duration last) {
        return search.run("attempts that failed", connection -> {
            List<Count> counts = ColdStatement.on(connection, sql)
                    .set("since", ServerTime.ago(connection, last))
                    .list(Count::of);
            List<QueueFailures> queues = new ArrayList<>();
            SortedMap<Instant, Long> minutes = new TreeMap<>();
            for (Count count : counts) {
                if (count.queue != null) {
                    queues.add(new QueueFailures(count.queue, count.attempts));
                } else if (count.minute != null) {
                    minutes.put(count.minute, count.attempts);
                }
            }
            return new FailedAttempts(queues, minutes, counts.stream().allMatch(Count::complete));
        });
    }

    /** Of a queue, or of a minute. Where nothing has failed, there is one of neither. */
    private record Count(
            boolean complete,
            @Nullable String queue,
            @Nullable Instant minute,
            long attempts) {

        static Count of(ResultSet row) throws SQLException {
            return new Count(
                    row.getBoolean("complete"),
                    row.getString("queue"),
                    Columns.instant(row, row.findColumn("minute")),
                    row.getLong("attempts"));
        }
    }
}
