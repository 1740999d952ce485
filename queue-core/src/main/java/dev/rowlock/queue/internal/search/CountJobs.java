package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import dev.rowlock.queue.search.FailedAttempts;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.QueueFailures;
import dev.rowlock.queue.search.TimeStep;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Counts jobs and attempts. */
public final class CountJobs {

    /** Counts all jobs by queue and state. */
    private static final String ALL =
            "SELECT queue, state, count(*) FROM rowlock.job GROUP BY queue, state ORDER BY queue, state";

    private static final String CLAIMED = """
            SELECT node_id, queue, count(*) AS jobs, min(claimed_at) AS oldest
              FROM rowlock.running
             GROUP BY node_id, queue
             ORDER BY node_id, queue
            """;

    private static final String MATCHES_OF_ROOM = "(SELECT FROM rowlock.%s WHERE %s)";

    private static final String ENDED = """
            SELECT date_bin(:seconds * interval '1 s', finished_at, timestamptz '2000-01-01 00:00:00Z') AS step, %1$s,
                   count(*) FILTER (WHERE state = 'completed') AS completed, count(*) FILTER (WHERE state = 'cancelled') AS cancelled
              FROM rowlock.done
             WHERE %2$s
             GROUP BY step, %1$s
             ORDER BY step, %1$s LIMIT :limit
            """;

    /** How many jobs with errors are read of each room. */
    public static final int MOST_FAILED = 10_000;

    private static final String FAILED_ATTEMPTS = """
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
            """.formatted(GroupJobs.LOOKED_AT, MOST_FAILED);

    private final BoundedSearch search;

    public CountJobs(BoundedSearch search) {
        this.search = search;
    }

    /** All jobs by queue and state, exactly. Reads whole tables: for tests and for people, not for each scrape. */
    public <T> List<T> all(Row<T> row) {
        return list("the counts of all queues", ALL, row);
    }

    /** What each node has claimed, by queue. Reads the whole of running, which holds nothing else. */
    public <T> List<T> claimed(Row<T> row) {
        return list("the jobs that nodes have claimed", CLAIMED, row);
    }

    private <T> List<T> list(String what, String sql, Row<T> row) {
        return search.run(
                what,
                connection ->
                        ColdStatement.on(connection, search.database().sql(sql)).list(row));
    }

    /** How many jobs of all rooms match; at most {@code limit}. */
    public long matching(JobFilter filter, int limit) {
        List<RoomCondition> conditions = FilterConditions.of(filter);
        String sql = search.database()
                .sql(conditions.stream()
                        .map(condition ->
                                MATCHES_OF_ROOM.formatted(condition.room().table(), condition.sql()))
                        .collect(Collectors.joining(
                                "\n UNION ALL ", "SELECT count(*) FROM (", "\n LIMIT :limit) AS counted")));
        return search.run(filter, connection -> {
            ColdStatement statement = ColdStatement.on(connection, sql).set("limit", limit);
            conditions.forEach(condition -> statement.set(condition.values()));
            return statement.only(row -> row.getLong(1));
        });
    }

    /** How many jobs ended well or were cancelled, by steps of time, queue and type. Reads the partitions of that time. */
    public <T> List<T> endedByQueueAndType(JobFilter filter, TimeStep step, int limit, Row<T> row) {
        return ended("queue, type", filter, step, limit, row);
    }

    /** The same by steps of time and queue. */
    public <T> List<T> endedByQueue(JobFilter filter, TimeStep step, int limit, Row<T> row) {
        return ended("queue", filter, step, limit, row);
    }

    private <T> List<T> ended(String by, JobFilter filter, TimeStep step, int limit, Row<T> row) {
        RoomCondition condition = FilterConditions.of(filter, EnumSet.of(SearchedRoom.DONE), "sums of ended jobs")
                .get(0);
        String sql = search.database().sql(ENDED.formatted(by, condition.sql()));
        return search.run(
                filter,
                connection -> ColdStatement.on(connection, sql)
                        .set(condition.values())
                        .set("seconds", step.length().toSeconds())
                        .set("limit", limit)
                        .list(row));
    }

    /**
     * How many attempts failed lately, by queue, as the error histories of jobs say it. No index has the times of errors: so jobs are read that may have failed
     * since then, up to a limit in each room. Of live jobs, the front of the room; of dead ones, those that died since then; of
     * done ones, the partitions of that time.
     */
    public FailedAttempts failedAttempts(Duration last) {
        return search.run("attempts that failed", connection -> {
            List<Count> counts = ColdStatement.on(connection, search.database().sql(FAILED_ATTEMPTS))
                    .set("since", BoundedSearch.ago(connection, last))
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
