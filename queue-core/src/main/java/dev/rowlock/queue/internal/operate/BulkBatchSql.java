package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Room;
import dev.rowlock.queue.internal.operate.BulkActionRow.TakenAction;
import dev.rowlock.queue.internal.search.FilterConditions.RoomCondition;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;

/** The statements of a batch. They are put together from the rooms of its bulk action, and differ in nothing else. */
final class BulkBatchSql {

    private static final String BOUNDS = """
            WITH bounds AS MATERIALIZED (
                SELECT given.*, b.refused_ids
                  FROM (SELECT :after_id::bigint AS after_id, :last_id::bigint AS last_id, :created_at::timestamptz AS created_at, :most::int AS most,
                               :stretch::int AS stretch, :room_for_locked::int AS room_for_locked) AS given
                  JOIN rowlock.bulk_action b ON b.id = :action_id
            )""";

    private static final String STRETCH = """
            , stretch_%1$s AS MATERIALIZED (
                SELECT count(*) AS jobs, max(id) AS last_id
                  FROM (SELECT id FROM rowlock.%1$s
                         WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT last_id FROM bounds)
                         ORDER BY id LIMIT (SELECT stretch FROM bounds)) AS %1$s
            )""";

    private static final String STRETCH_END =
            "(SELECT s.last_id FROM stretch_%s s WHERE s.jobs = (SELECT stretch FROM bounds))";

    private static final String REACH = ", reach AS MATERIALIZED (SELECT least(%s, last_id) AS id FROM bounds)";

    // The stretch is cut before the filter looks at it, so that a batch of a filter that nothing matches ends as well.
    private static final String WANTED = """
            , wanted_%1$s AS MATERIALIZED (
                SELECT id FROM (SELECT * FROM rowlock.%1$s
                                 WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT id FROM reach)
                                 ORDER BY id LIMIT (SELECT stretch FROM bounds)) AS %1$s
                 WHERE %2$s%3$s AND id NOT IN (SELECT unnest(refused_ids) FROM bounds)
                 ORDER BY id LIMIT (SELECT most FROM bounds)
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
                RETURNING %2$s
            )""";

    // The action goes on behind jobs that somebody else has locked or moved, as long as it can remember which they are.
    private static final String ANSWER = """
            , passed AS MATERIALIZED (
                SELECT id FROM wanted EXCEPT SELECT id FROM taken
            ), place AS MATERIALIZED (
                SELECT least((SELECT id - 1 FROM passed ORDER BY id OFFSET room_for_locked LIMIT 1),
                             (SELECT max(id) FROM wanted HAVING count(*) = most),
                             (SELECT id FROM reach)) AS id
                  FROM bounds
            )
            SELECT %s, (SELECT id FROM place), ARRAY(SELECT id FROM passed WHERE id <= (SELECT id FROM place) ORDER BY id)
            """;

    private static final String NAMED = "WITH wanted AS MATERIALIZED (SELECT unnest(:ids::bigint[]) AS id)";

    private static final String HERE = "SELECT id FROM rowlock.%s WHERE id = ANY (ARRAY(SELECT id FROM wanted))";

    // The jobs are cut out before the filter looks at them, so that it looks at no other.
    private static final String MATCHING = """
            SELECT id FROM (SELECT * FROM rowlock.%1$s WHERE id = ANY (ARRAY(SELECT id FROM wanted)) OFFSET 0) AS %1$s
             WHERE %2$s%3$s
            """;

    private static final String NEXT = """
            (SELECT id FROM rowlock.%s
              WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT last_id FROM bounds)
                AND id NOT IN (SELECT unnest(refused_ids) FROM bounds)
              ORDER BY id LIMIT 1)""";

    private BulkBatchSql() {}

    /** Moves the jobs that are next. Answers how many, the place that is reached, and which are locked up to there. */
    static String move(BulkKind kind, List<RoomCondition> rooms) {
        return kind.move(wanted(rooms) + taken(rooms, TAKEN), ANSWER.formatted("(SELECT count(*) FROM taken)"));
    }

    /** Locks the jobs that are next. Answers which, and the same places as {@link #move}, once all of them are moved. */
    static String lock(List<RoomCondition> rooms) {
        return wanted(rooms) + taken(rooms, LOCKED) + ANSWER.formatted("ARRAY(SELECT id FROM taken)");
    }

    /** The id of the job that is next, whether it matches or not; null: there is none. */
    static String next(List<RoomCondition> rooms) {
        return BOUNDS + " SELECT least(" + each(rooms, NEXT, ", ") + ")";
    }

    /** Locks the jobs of an array. Answers which, and which of the array are there at all. */
    static String lockThese(List<RoomCondition> rooms) {
        return NAMED + taken(rooms, LOCKED) + " SELECT ARRAY(SELECT id FROM taken ORDER BY id), ARRAY("
                + each(rooms, HERE, " UNION ALL ") + ")";
    }

    /** Answers which jobs of an array match. */
    static String matching(List<RoomCondition> rooms) {
        return NAMED + ", bounds AS MATERIALIZED (SELECT :created_at::timestamptz AS created_at) SELECT ARRAY("
                + rooms.stream().map(room -> filtered(MATCHING, room)).collect(Collectors.joining(" UNION ALL ")) + ")";
    }

    /** Moves the jobs of an array. */
    static String moveThese(BulkKind kind, List<RoomCondition> rooms) {
        return kind.move(NAMED + taken(rooms, TAKEN), "SELECT count(*) FROM taken");
    }

    /** One of these statements about jobs behind the place of an action. */
    static ColdStatement behind(
            Connection connection, String sql, TakenAction action, int most, List<RoomCondition> rooms) {
        ColdStatement statement = ColdStatement.on(connection, sql)
                .set("action_id", action.id())
                .set("after_id", action.afterId())
                .set("last_id", action.lastId())
                .set("created_at", action.createdAt())
                .set("most", most)
                .set("stretch", action.stretch())
                .set("room_for_locked", action.roomForLocked());
        rooms.forEach(room -> statement.set(room.values()));
        return statement;
    }

    /** One of these statements about jobs of an array. */
    static ColdStatement ofThese(Connection connection, String sql, List<Long> jobs) {
        return ColdStatement.on(connection, sql).set("ids", jobs.toArray(Long[]::new));
    }

    static List<Long> ids(ResultSet row, int column) throws SQLException {
        return List.of((Long[]) row.getArray(column).getArray());
    }

    /** Deferred triggers and constraints say now whether they refuse a job, where somebody knows what to do about it. */
    static void checkNow(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET CONSTRAINTS ALL IMMEDIATE");
        }
    }

    private static String wanted(List<RoomCondition> rooms) {
        StringBuilder text = new StringBuilder(BOUNDS)
                .append(each(rooms, STRETCH, ""))
                .append(REACH.formatted(each(rooms, STRETCH_END, ", ")));
        rooms.forEach(room -> text.append(filtered(WANTED, room)));
        return text.append(", wanted AS MATERIALIZED (SELECT id FROM (")
                .append(each(rooms, "TABLE wanted_%s", " UNION ALL "))
                .append(") AS wanted ORDER BY id LIMIT (SELECT most FROM bounds))")
                .toString();
    }

    private static String filtered(String part, RoomCondition room) {
        String table = room.room().table();
        return part.formatted(table, room.sql(), table.equals("dead") ? STILL : "");
    }

    private static String taken(List<RoomCondition> rooms, String how) {
        return each(rooms, how, "") + ", taken AS (" + each(rooms, "TABLE from_%s", " UNION ALL ") + ")";
    }

    private static String each(List<RoomCondition> rooms, String part, String between) {
        return rooms.stream()
                .map(room -> part.formatted(room.room().table(), Room.JOB))
                .collect(Collectors.joining(between));
    }
}
