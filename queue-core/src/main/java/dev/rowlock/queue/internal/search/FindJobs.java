package dev.rowlock.queue.internal.search;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.Row;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.Page;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A page of the jobs that match, of all rooms, the highest id first. One statement sees each job in one room. Each room is read backwards along an
 * index that ends with the id, as far as the page needs.
 */
public final class FindJobs {

    private static final String ALL = """
            SELECT found.id, state, queue, type, job_key, rowlock.header(headers, '%s') AS unique_key,
                   rowlock.header(headers, '%s') AS title, priority, attempt, crashes, enqueued_at, due_at, started_at, ended_at, node_id, progress, last_error, fingerprint, %s AS payload
              FROM (%s
                   ) AS found
             ORDER BY found.id DESC LIMIT :limit
            """;

    private static final String PAYLOAD =
            "coalesce(payload, (SELECT p.payload FROM rowlock.payload p WHERE p.job_id = found.id))";

    private static final String OF_ROOM = """

                    (SELECT id, %s AS state, queue, type, job_key, -rank AS priority, attempt, crashes, enqueued_at, %s AS due_at,
                            %s AS started_at, %s AS ended_at, %s AS node_id, %s AS progress,
                            (errors -> -1) - 'trace' AS last_error, headers, %s AS fingerprint, %s AS payload
                       FROM rowlock.%s
                      WHERE id < :before AND %s
                      ORDER BY id DESC LIMIT :limit)""";

    private final BoundedSearch search;

    public FindJobs(BoundedSearch search) {
        this.search = search;
    }

    /** One row more than the page has, if there is one. */
    public <T> List<T> run(JobFilter filter, Page page, Row<T> row) {
        List<RoomCondition> conditions = FilterConditions.of(filter);
        return search.run(filter, call(conditions, page, row));
    }

    /**
     * The same, of the jobs that a node has claimed. The primary key of running is read backwards: no further than through what all nodes have claimed, since
     * nothing else is in it.
     */
    public <T> List<T> onNode(long node, Page page, Row<T> row) {
        RoomCondition condition = new RoomCondition(SearchedRoom.RUNNING, "node_id = :node", Map.of("node", node));
        return search.run("the jobs of node " + node, call(List.of(condition), page, row));
    }

    private <T> Database.Call<List<T>> call(List<RoomCondition> conditions, Page page, Row<T> row) {
        String sql = search.database().sql(text(conditions, page));
        return connection -> {
            ColdStatement statement = ColdStatement.on(connection, sql)
                    .set("before", page.before())
                    .set("limit", page.size() + 1);
            conditions.forEach(condition -> statement.set(condition.values()));
            return statement.list(row);
        };
    }

    private static String text(List<RoomCondition> conditions, Page page) {
        return ALL.formatted(
                Headers.UNIQUE_KEY,
                Headers.TITLE,
                page.payloads() ? PAYLOAD : "NULL::json",
                conditions.stream()
                        .map(condition -> ofRoom(condition, page.payloads()))
                        .collect(Collectors.joining("\n                    UNION ALL")));
    }

    private static String ofRoom(RoomCondition condition, boolean payloads) {
        SearchedRoom room = condition.room();
        return OF_ROOM.formatted(
                room.state(),
                room.time(JobTime.DUE),
                room.time(JobTime.STARTED),
                room.time(JobTime.ENDED),
                room.knowsNodes() ? "node_id" : "NULL::bigint",
                room == SearchedRoom.RUNNING ? "progress" : "NULL::smallint",
                room == SearchedRoom.DEAD ? "fingerprint" : "NULL::text",
                payloads ? "payload" : "NULL::json",
                room.table(),
                condition.sql());
    }
}
