package dev.rowlock.queue.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Moves waiting jobs whose time has come to ready. */
public final class DispatchDueJobs {

    // A bound of the future is from before the clock was set back: jobs that wait before it may be due.
    private static final String SQL = IndexPlan.PREFIX + """
            WITH due AS (
                DELETE FROM rowlock.waiting
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.waiting
                        WHERE due_at <= statement_timestamp()
                          AND (due_at, id) > (CASE WHEN ? <= statement_timestamp() THEN ? ELSE '-infinity' END, ?)
                        ORDER BY due_at, id LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING *
            ), moved AS (
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, timeout_millis, rank, attempt, crashes, max_retries,
                                           queue, type, payload, headers, errors)
                SELECT id, statement_timestamp(), enqueued_at, timeout_millis, rank, attempt, crashes, max_retries,
                       queue, type, payload, headers, errors
                  FROM due
                 ORDER BY queue COLLATE "C", rank, id -- as in EnqueueReadyJobs
                RETURNING queue, rank
            )
            SELECT queue, min(rank), count(*), NULL::float8, NULL::float8, NULL::float8, NULL::bigint FROM moved GROUP BY queue
            UNION ALL
            SELECT NULL, NULL, NULL,
                   (SELECT date_part('epoch', due_at - clock_timestamp()) FROM rowlock.waiting
                     WHERE due_at > statement_timestamp() ORDER BY due_at, id LIMIT 1),
                   date_part('epoch', statement_timestamp()), date_part('epoch', last.due_at), last.id
              FROM (SELECT) AS one
              LEFT JOIN (SELECT due_at, id FROM due ORDER BY due_at DESC, id DESC LIMIT 1) AS last ON true
            """;

    /** Jobs of one queue that became runnable; {@code rank} is the most urgent. */
    public record Dispatched(String queue, int rank, int jobs) {}

    /**
     * What one call did.
     *
     * @param nextDue time until the next waiting job is due; null if none waits
     * @param last the last job moved; null: none
     * @param until all that was due until then has been looked at, unless there was more than the limit
     * @param took how long the statement took, without the wait for a connection
     */
    public record Result(
            List<Dispatched> queues,
            @Nullable Duration nextDue,
            @Nullable DuePosition last,
            DuePosition until,
            Duration took) {

        public int jobs() {
            return queues.stream().mapToInt(Dispatched::jobs).sum();
        }
    }

    private final Database database;
    private final String sql;

    public DispatchDueJobs(Database database) {
        this.database = database;
        this.sql = database.sql(SQL);
    }

    /** Moves up to {@code limit} jobs that are due, wherever they stand. */
    public Result run(int limit) {
        return run(DuePosition.FRONT, limit);
    }

    /** Moves up to {@code limit} jobs that are due and stand behind a place, the longest due first. */
    public Result run(DuePosition after, int limit) {
        return database.alone(connection -> {
            long begun = System.nanoTime();
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setObject(1, after.dueAt());
                statement.setObject(2, after.dueAt());
                statement.setLong(3, after.id());
                statement.setInt(4, limit);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return read(rows, begun);
                }
            }
        });
    }

    private static Result read(ResultSet rows, long begun) throws SQLException {
        List<Dispatched> queues = new ArrayList<>();
        Duration nextDue = null;
        DuePosition last = null;
        DuePosition until = DuePosition.FRONT;
        while (rows.next()) {
            String queue = rows.getString(1);
            if (queue != null) {
                queues.add(new Dispatched(queue, rows.getInt(2), rows.getInt(3)));
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
