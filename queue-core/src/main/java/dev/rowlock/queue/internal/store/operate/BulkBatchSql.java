package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.search.RoomCondition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

/** The statements of a batch. They are put together from the rooms of its bulk action, and differ in nothing else. */
final class BulkBatchSql {

    /** A stretch of so many jobs is looked at, however few of them match. */
    static final int STRETCH = 10_000;

    private static final String BOUNDS = """
            WITH bounds AS MATERIALIZED (
                SELECT given.*, b.refused_ids
                  FROM (SELECT ?::bigint, ?::bigint, ?::timestamptz, ?::int, ?::bigint)
                    AS given (after_id, last_id, created_at, most, action_id)
                  JOIN rowlock.bulk_action b ON b.id = action_id
            )""";

    // The stretch is cut before the filter looks at it, so that a batch of a filter that nothing matches ends as well.
    private static final String WANTED = """
            , wanted_%1$s AS MATERIALIZED (
                SELECT id FROM (SELECT * FROM rowlock.%1$s
                                 WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT last_id FROM bounds)
                                 ORDER BY id LIMIT %3$d) AS %1$s
                 WHERE %2$s%4$s AND id NOT IN (SELECT unnest(refused_ids) FROM bounds)
                 ORDER BY id LIMIT (SELECT most FROM bounds)
            ), stretch_%1$s AS MATERIALIZED (
                SELECT count(*) AS jobs, max(id) AS last_id
                  FROM (SELECT id FROM rowlock.%1$s
                         WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT last_id FROM bounds)
                         ORDER BY id LIMIT %3$d) AS %1$s
            )""";

    // A job that dies again of its redrive is none of the action's any more.
    private static final String STILL = " AND died_at <= (SELECT created_at FROM bounds)";

    private static final String LOCKED = """
            , from_%1$s AS (
                SELECT id FROM rowlock.%1$s WHERE id = ANY (ARRAY(SELECT id FROM wanted))
                 ORDER BY id
                   FOR UPDATE SKIP LOCKED
            )""";

    private static final String TAKEN = """
            , from_%1$s AS (
                DELETE FROM rowlock.%1$s
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.%1$s WHERE id = ANY (ARRAY(SELECT id FROM wanted))
                        ORDER BY id
                          FOR UPDATE SKIP LOCKED))
                RETURNING id, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries, queue, type, payload, headers, errors
            )""";

    // The next batch begins before the first job that somebody else has locked or moved.
    private static final String ANSWER = """
            SELECT %s,
                   (SELECT least((SELECT min(id) - 1 FROM (SELECT id FROM wanted EXCEPT SELECT id FROM taken) AS passed),
                                 (SELECT max(id) FROM wanted HAVING count(*) = most),
                                 %s, last_id) FROM bounds)
            """;

    private static final String STRETCH_END = "(SELECT s.last_id FROM stretch_%s s WHERE s.jobs = " + STRETCH + ")";

    private BulkBatchSql() {}

    /** Moves the jobs that are next. Answers how many, and the place that is reached. */
    static String move(BulkKind kind, List<RoomCondition> rooms) {
        return wanted(rooms) + taken(rooms, TAKEN) + ", " + kind.moves()
                + answer(rooms, "(SELECT count(*) FROM taken)");
    }

    /** Locks the jobs that are next. Answers which, and the place that is reached once all of them are moved. */
    static String lock(List<RoomCondition> rooms) {
        return wanted(rooms) + taken(rooms, LOCKED) + " " + answer(rooms, "ARRAY(SELECT id FROM taken)");
    }

    /** Moves the jobs of an array. */
    static String moveThese(BulkKind kind, List<RoomCondition> rooms) {
        return "WITH wanted AS (SELECT unnest(?::bigint[]) AS id)" + taken(rooms, TAKEN) + ", " + kind.moves()
                + "SELECT count(*) FROM taken";
    }

    /** Sets the parameters of {@link #move} and {@link #lock}. */
    static void bind(PreparedStatement statement, TakenAction action, int most, List<RoomCondition> rooms)
            throws SQLException {
        statement.setLong(1, action.afterId());
        statement.setLong(2, action.lastId());
        statement.setObject(3, action.createdAt());
        statement.setInt(4, most);
        statement.setLong(5, action.id());
        int next = 6;
        for (RoomCondition room : rooms) {
            next = room.bind(statement, next);
        }
    }

    /** Deferred triggers and constraints say now whether they refuse a job, where somebody knows what to do about it. */
    static void checkNow(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
        }
    }

    private static String wanted(List<RoomCondition> rooms) {
        StringBuilder text = new StringBuilder(BOUNDS);
        for (RoomCondition room : rooms) {
            String table = room.room().table();
            text.append(WANTED.formatted(table, room.sql(), STRETCH, table.equals("dead") ? STILL : ""));
        }
        return text.append(", wanted AS MATERIALIZED (SELECT id FROM (")
                .append(each(rooms, "TABLE wanted_%s", " UNION ALL "))
                .append(") AS wanted ORDER BY id LIMIT (SELECT most FROM bounds))")
                .toString();
    }

    private static String taken(List<RoomCondition> rooms, String how) {
        return each(rooms, how, "") + ", taken AS (" + each(rooms, "TABLE from_%s", " UNION ALL ") + ")";
    }

    private static String answer(List<RoomCondition> rooms, String jobs) {
        return ANSWER.formatted(jobs, each(rooms, STRETCH_END, ", "));
    }

    private static String each(List<RoomCondition> rooms, String part, String between) {
        return rooms.stream().map(room -> part.formatted(room.room().table())).collect(Collectors.joining(between));
    }
}
