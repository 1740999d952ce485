package dev.rowlock.queue.internal.store.search;

import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.search.JobFilter;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
                                "\n UNION ALL ", "SELECT count(*) FROM (", "\n LIMIT ?) AS counted")));
        return search.run(filter, connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, sql)) {
                int next = 1;
                for (RoomCondition condition : conditions) {
                    next = condition.bind(statement, next);
                }
                statement.setInt(next, limit);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                }
            }
        });
    }
}
