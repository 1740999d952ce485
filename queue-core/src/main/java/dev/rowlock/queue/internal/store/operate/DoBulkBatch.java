package dev.rowlock.queue.internal.store.operate;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.UncachedPlan;
import dev.rowlock.queue.internal.store.search.RoomCondition;
import dev.rowlock.queue.search.JobFilter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Does a batch of the bulk action that has waited longest for one: the jobs, the progress, and the audit line in one
 * transaction. An action that another node is working on is left to it.
 */
public final class DoBulkBatch {

    /** A stretch of so many jobs is looked at, however few of them match. */
    static final int STRETCH = 10_000;

    // One whose last batch lies in the future is due: the clock was set back, and next_at may be far away.
    private static final String TAKE = """
            SELECT id, kind, filter::text, after_id, last_id, created_at, per_second FROM rowlock.bulk_action
             WHERE state = 'running' AND (next_at <= statement_timestamp() OR batch_at > statement_timestamp())
             ORDER BY next_at, id LIMIT 1
               FOR UPDATE SKIP LOCKED
            """;

    private static final String BOUNDS = """
            WITH bounds AS MATERIALIZED (
                SELECT * FROM (SELECT ?::bigint, ?::bigint, ?::timestamptz, ?::int) AS given (after_id, last_id, created_at, most)
            )""";

    // The stretch is cut before the filter looks at it, so that a batch of a filter that nothing matches ends as well.
    private static final String WANTED = """
            , wanted_%1$s AS MATERIALIZED (
                SELECT id FROM (SELECT * FROM rowlock.%1$s
                                 WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT last_id FROM bounds)
                                 ORDER BY id LIMIT %3$d) AS %1$s
                 WHERE %2$s%4$s
                 ORDER BY id LIMIT (SELECT most FROM bounds)
            ), stretch_%1$s AS MATERIALIZED (
                SELECT count(*) AS jobs, max(id) AS last_id
                  FROM (SELECT id FROM rowlock.%1$s
                         WHERE id > (SELECT after_id FROM bounds) AND id <= (SELECT last_id FROM bounds)
                         ORDER BY id LIMIT %3$d) AS %1$s
            )""";

    // A job that dies again of its redrive is none of the action's any more.
    private static final String STILL = " AND died_at <= (SELECT created_at FROM bounds)";

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
            SELECT (SELECT count(*) FROM taken),
                   (SELECT least((SELECT min(id) - 1 FROM (SELECT id FROM wanted EXCEPT SELECT id FROM taken) AS passed),
                                 (SELECT max(id) FROM wanted HAVING count(*) = most),
                                 %s, last_id) FROM bounds)
            """;

    private static final String STRETCH_END = "(SELECT s.last_id FROM stretch_%s s WHERE s.jobs = " + STRETCH + ")";

    private static final String ADVANCE = """
            WITH advanced AS (
                UPDATE rowlock.bulk_action
                   SET done = done + ?, after_id = ?, batch_at = statement_timestamp(),
                       next_at = statement_timestamp() + ? * interval '1 ms',
                       state = CASE WHEN ? >= last_id THEN 'finished' ELSE state END,
                       ended_at = CASE WHEN ? >= last_id THEN statement_timestamp() END
                 WHERE id = ?
                RETURNING id
            )
            UPDATE rowlock.audit SET jobs = jobs + ? FROM advanced WHERE bulk_action_id = advanced.id
            """;

    private static final String POSTPONE =
            "UPDATE rowlock.bulk_action SET next_at = statement_timestamp() + interval '10 s' WHERE id = ?";

    private final Database database;
    private final EnsureDonePartitions partitions;
    private final int largest;

    public DoBulkBatch(Database database) {
        this(database, 1_000);
    }

    /** @param largest how many jobs a batch has at most */
    public DoBulkBatch(Database database, int largest) {
        this.database = database;
        this.partitions = new EnsureDonePartitions(database);
        this.largest = largest;
    }

    /**
     * What was done.
     *
     * @param redriven whether jobs wait now that were dead
     * @param stuck whether somebody else has locked all jobs that there were
     */
    public record Done(long bulkActionId, int jobs, boolean redriven, boolean stuck) {}

    /** The jobs of this action cannot be moved. */
    public static final class BatchFailedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final long bulkActionId;

        BatchFailedException(long bulkActionId, SQLException cause) {
            super("a batch of bulk action %d failed".formatted(bulkActionId), cause);
            this.bulkActionId = bulkActionId;
        }

        public long bulkActionId() {
            return bulkActionId;
        }
    }

    private record Taken(
            long id,
            BulkKind kind,
            JobFilter filter,
            long afterId,
            long lastId,
            OffsetDateTime createdAt,
            @Nullable Integer perSecond) {

        /** A quarter of a second's jobs: more would come in a burst. */
        int most(int largest) {
            return perSecond == null ? largest : Math.max(1, Math.min(largest, (perSecond + 3) / 4));
        }

        /** How long the rate allows no further batch. */
        long restMillis(int jobs) {
            return perSecond == null ? 0 : jobs * 1000L / perSecond;
        }
    }

    private record Moved(int jobs, long afterId) {}

    /**
     * In a transaction of its own. Empty: none is due, or others are working on those that are.
     *
     * @throws BatchFailedException if the server refuses the batch
     */
    public Optional<Done> run() {
        return partitions.around(() -> database.atomically(connection -> {
            Taken taken = take(connection);
            if (taken == null) {
                return Optional.empty();
            }
            Moved moved = move(connection, taken);
            advance(connection, taken, moved);
            return Optional.of(new Done(
                    taken.id,
                    moved.jobs,
                    taken.kind == BulkKind.REDRIVE && moved.jobs > 0,
                    moved.jobs == 0 && moved.afterId <= taken.afterId));
        }));
    }

    /** The next batch of this action is not tried before ten seconds have passed. */
    public void postpone(long bulkActionId) {
        database.alone(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql(POSTPONE))) {
                statement.setLong(1, bulkActionId);
                return statement.executeUpdate();
            }
        });
    }

    private @Nullable Taken take(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(database.sql(TAKE));
                ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            int perSecond = row.getInt(7);
            Integer rate = row.wasNull() ? null : perSecond;
            return new Taken(
                    row.getLong(1),
                    BulkKind.of(row.getString(2)),
                    BulkRow.filter(row.getString(3)),
                    row.getLong(4),
                    row.getLong(5),
                    row.getObject(6, OffsetDateTime.class),
                    rate);
        }
    }

    private Moved move(Connection connection, Taken action) throws SQLException {
        List<RoomCondition> rooms = action.kind.conditions(action.filter);
        int most = action.most(largest);
        try (PreparedStatement statement = UncachedPlan.prepare(connection, sql(action.kind, rooms))) {
            statement.setLong(1, action.afterId);
            statement.setLong(2, action.lastId);
            statement.setObject(3, action.createdAt);
            statement.setInt(4, most);
            int next = 5;
            for (RoomCondition room : rooms) {
                next = room.bind(statement, next);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Moved(row.getInt(1), row.getLong(2));
            }
        } catch (SQLException e) {
            if (EnsureDonePartitions.missing(e)) {
                throw e;
            }
            throw new BatchFailedException(action.id, e);
        }
    }

    private String sql(BulkKind kind, List<RoomCondition> rooms) {
        StringBuilder text = new StringBuilder(BOUNDS);
        for (RoomCondition room : rooms) {
            String table = room.room().table();
            text.append(WANTED.formatted(table, room.sql(), STRETCH, table.equals("dead") ? STILL : ""));
        }
        text.append(", wanted AS MATERIALIZED (SELECT id FROM (").append(each(rooms, "TABLE wanted_%s", " UNION ALL "));
        text.append(") AS wanted ORDER BY id LIMIT (SELECT most FROM bounds))");
        rooms.forEach(room -> text.append(TAKEN.formatted(room.room().table())));
        text.append(", taken AS (")
                .append(each(rooms, "TABLE from_%s", " UNION ALL "))
                .append("), ");
        return database.sql(text.append(kind.moves())
                .append(ANSWER.formatted(each(rooms, STRETCH_END, ", ")))
                .toString());
    }

    private static String each(List<RoomCondition> rooms, String part, String between) {
        return rooms.stream().map(room -> part.formatted(room.room().table())).collect(Collectors.joining(between));
    }

    private void advance(Connection connection, Taken action, Moved moved) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(database.sql(ADVANCE))) {
            statement.setLong(1, moved.jobs);
            statement.setLong(2, moved.afterId);
            statement.setLong(3, action.restMillis(moved.jobs));
            statement.setLong(4, moved.afterId);
            statement.setLong(5, moved.afterId);
            statement.setLong(6, action.id);
            statement.setLong(7, moved.jobs);
            statement.executeUpdate();
        }
    }
}
