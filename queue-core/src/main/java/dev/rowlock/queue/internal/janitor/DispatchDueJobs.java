package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Ids;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.Move;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Room;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Moves waiting jobs whose time has come to ready. */
public final class DispatchDueJobs {

    private static final String DUE = """
            due_at <= statement_timestamp()
                          AND (due_at, id) > (?, ?)
                          AND id <> ALL (?::bigint[])
                        ORDER BY due_at, id""";

    private static final String NAMED = "id = ANY (?::bigint[]) AND due_at <= statement_timestamp() ORDER BY id";

    private static final String SQL = Move.from(Room.WAITING, "due", """
                    WITH due AS (
                        DELETE FROM rowlock.waiting
                         WHERE ctid = ANY (ARRAY(
                               SELECT ctid FROM rowlock.waiting
                                WHERE %s LIMIT ?
                                  FOR UPDATE SKIP LOCKED))
                        RETURNING *
                    )""")
            .to(Room.READY, """
                    ready_at = CASE WHEN reason = 'policy' -- held for the longest time: it keeps its place in the order
                                    THEN coalesce((SELECT h.ready_at FROM rowlock.held_job h WHERE h.job_id = due.id AND h.due_at = due.due_at),
                                                  statement_timestamp())
                                    ELSE statement_timestamp() END""")
            .inQueueOrder()
            .returning("queue, rank, job_key")
            .answering("""
                    SELECT queue, min(rank), count(*), NULL::float8, NULL::float8, NULL::float8, NULL::bigint, %s
                      FROM into_ready GROUP BY queue
                    UNION ALL
                    SELECT NULL, NULL, NULL,
                           (SELECT date_part('epoch', due_at - clock_timestamp()) FROM rowlock.waiting
                             WHERE due_at > statement_timestamp() ORDER BY due_at, id LIMIT 1),
                           date_part('epoch', statement_timestamp()), date_part('epoch', last.due_at), last.id, NULL
                      FROM (SELECT) AS one
                      LEFT JOIN (SELECT due_at, id FROM due ORDER BY due_at DESC, id DESC LIMIT 1) AS last ON true
                    """.formatted(ReadyJobs.KEYS));

    private static final String NAMES = "SELECT id FROM rowlock.waiting WHERE " + DUE + " LIMIT ?";

    /**
     * What one call did.
     *
     * @param nextDue time until the next waiting job is due; null if none waits
     * @param last the last job moved; null: none
     * @param until all that was due until then has been looked at, unless there was more than the limit
     * @param took how long the statement took, without the wait for a connection
     */
    public record Result(
            List<ReadyJobs> queues,
            @Nullable Duration nextDue,
            @Nullable DuePosition last,
            DuePosition until,
            Duration took) {

        public int jobs() {
            return (int) queues.stream().mapToLong(ReadyJobs::jobs).sum();
        }
    }

    private final Database database;
    /** Moves jobs that are due from waiting to ready, the longest due first, behind a place or from the front. */
    private final String due;

    /** Moves jobs that are due from waiting to ready, by their ids: one of a batch was refused. */
    private final String named;

    private final String names;

    public DispatchDueJobs(Database database) {
        this.database = database;
        this.due = database.sql(IndexPlan.PREFIX + SQL.formatted(DUE));
        this.named = database.sql(IndexPlan.PREFIX + SQL.formatted(NAMED));
        this.names = database.sql(IndexPlan.PREFIX + NAMES);
    }

    /** Moves up to {@code limit} jobs that are due, wherever they stand. */
    public Result run(int limit) {
        return run(DuePosition.FRONT, limit, List.of());
    }

    /**
     * Moves up to {@code limit} jobs that are due and stand behind a place, the longest due first.
     *
     * @param without the ids of jobs that are left where they are
     */
    public Result run(DuePosition after, int limit, List<Long> without) {
        return database.atOnce(connection -> {
            long begun = System.nanoTime();
            try (PreparedStatement statement = IndexPlan.prepare(connection, due)) {
                set(statement, after, limit, without);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return read(rows, begun);
                }
            }
        });
    }

    /** Moves those of these jobs that are due. */
    public Result named(List<Long> ids) {
        return database.atOnce(connection -> {
            long begun = System.nanoTime();
            try (PreparedStatement statement = IndexPlan.prepare(connection, named)) {
                statement.setObject(1, Columns.longs(ids, Long::longValue));
                statement.setInt(2, ids.size());
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return read(rows, begun);
                }
            }
        });
    }

    /** The ids of the jobs that {@link #run} would move now, if nobody had locked any. */
    public List<Long> names(DuePosition after, int limit, List<Long> without) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, names)) {
                set(statement, after, limit, without);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return Ids.read(rows);
                }
            }
        });
    }

    private static void set(PreparedStatement statement, DuePosition after, int limit, List<Long> without)
            throws SQLException {
        statement.setObject(1, after.dueAt());
        statement.setLong(2, after.id());
        statement.setObject(3, Columns.longs(without, Long::longValue));
        statement.setInt(4, limit);
    }

    private static Result read(ResultSet rows, long begun) throws SQLException {
        List<ReadyJobs> queues = new ArrayList<>();
        Duration nextDue = null;
        DuePosition last = null;
        DuePosition until = DuePosition.FRONT;
        while (rows.next()) {
            String queue = rows.getString(1);
            if (queue != null) {
                queues.add(new ReadyJobs(queue, rows.getInt(2), rows.getInt(3), Columns.textList(rows, 8)));
                continue;
            }
            double seconds = rows.getDouble(4);
            nextDue = rows.wasNull() ? null : Duration.ofMillis((long) Math.ceil(Math.max(0, seconds) * 1000));
            until = DuePosition.atEndOf(rows.getDouble(5));
            double lastDue = rows.getDouble(6);
            last = rows.wasNull() ? null : DuePosition.of(lastDue, rows.getLong(7));
        }
        return new Result(List.copyOf(queues), nextDue, last, until, Duration.ofNanos(System.nanoTime() - begun));
    }
}
