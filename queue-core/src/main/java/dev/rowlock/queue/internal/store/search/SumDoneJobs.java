package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.internal.store.Row;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.TimeStep;
import java.util.EnumSet;
import java.util.List;

/** How many jobs ended well or were cancelled, by steps of time and queue, and by type if asked for. Reads the partitions of that time. */
public final class SumDoneJobs {

    private static final String SQL = """
            SELECT date_bin(:seconds * interval '1 s', finished_at, timestamptz '2000-01-01 00:00:00Z') AS step, %1$s,
                   count(*) FILTER (WHERE state = 'completed') AS completed, count(*) FILTER (WHERE state = 'cancelled') AS cancelled
              FROM rowlock.done
             WHERE %2$s
             GROUP BY step, %1$s
             ORDER BY step, %1$s LIMIT :limit
            """;

    private final BoundedSearch search;

    public SumDoneJobs(BoundedSearch search) {
        this.search = search;
    }

    public <T> List<T> byQueueAndType(JobFilter filter, TimeStep step, int limit, Row<T> row) {
        return run("queue, type", filter, step, limit, row);
    }

    public <T> List<T> byQueue(JobFilter filter, TimeStep step, int limit, Row<T> row) {
        return run("queue", filter, step, limit, row);
    }

    private <T> List<T> run(String by, JobFilter filter, TimeStep step, int limit, Row<T> row) {
        RoomCondition condition = FilterConditions.of(filter, EnumSet.of(SearchedRoom.DONE), "sums of ended jobs")
                .get(0);
        String sql = search.database().sql(SQL.formatted(by, condition.sql()));
        return search.run(
                filter,
                connection -> ColdStatement.on(connection, sql)
                        .set(condition.values())
                        .set("seconds", step.length().toSeconds())
                        .set("limit", limit)
                        .list(row));
    }
}
