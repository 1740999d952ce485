package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.ColdStatement;
import dev.rowlock.queue.search.JobFilter;
import java.util.List;
import java.util.stream.Collectors;

/** Counts the jobs that match, in all rooms, and stops at a limit. */
public final class CountMatches {

    private static final String OF_ROOM = "(SELECT FROM rowlock.%s WHERE %s)";

    private final BoundedSearch search;

    public CountMatches(BoundedSearch search) {
        this.search = search;
    }

    /** How many there are; at most {@code limit}. */
    public long run(JobFilter filter, int limit) {
        List<RoomCondition> conditions = FilterConditions.of(filter);
        String sql = search.database()
                .sql(conditions.stream()
                        .map(condition -> OF_ROOM.formatted(condition.room().table(), condition.sql()))
                        .collect(Collectors.joining(
                                "\n UNION ALL ", "SELECT count(*) FROM (", "\n LIMIT :limit) AS counted")));
        return search.run(filter, connection -> {
            ColdStatement statement = ColdStatement.on(connection, sql).set("limit", limit);
            conditions.forEach(condition -> statement.set(condition.values()));
            return statement.only(row -> row.getLong(1));
        });
    }
}
