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

    private static final String SQL = IndexPlan.PREFIX + """
            WITH due AS (
                DELETE FROM rowlock.waiting
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.waiting
                        WHERE due_at <= statement_timestamp()
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
            SELECT queue, min(rank), count(*), NULL::float8 FROM moved GROUP BY queue
            UNION ALL
            SELECT NULL, NULL, NULL, (SELECT date_part('epoch', due_at - clock_timestamp()) FROM rowlock.waiting
                                       WHERE due_at > statement_timestamp() ORDER BY due_at, id LIMIT 1)
            """;

    /** Jobs of one queue that became runnable; {@code rank} is the most urgent. */
    public record Dispatched(String queue, int rank, int jobs) {}

    /**
     * What one call did.
     *
     * @param nextDue time until the next waiting job is due; null if none waits
     */
    public record Result(List<Dispatched> queues, @Nullable Duration nextDue) {

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

    public Result run(int limit) {
        return database.alone(connection -> {
            try (PreparedStatement statement = IndexPlan.prepare(connection, sql)) {
                statement.setInt(1, limit);
                try (ResultSet rows = IndexPlan.query(statement)) {
                    return read(rows);
                }
            }
        });
    }

    private static Result read(ResultSet rows) throws SQLException {
        List<Dispatched> queues = new ArrayList<>();
        Duration nextDue = null;
        while (rows.next()) {
            String queue = rows.getString(1);
            if (queue != null) {
                queues.add(new Dispatched(queue, rows.getInt(2), rows.getInt(3)));
                continue;
            }
            double seconds = rows.getDouble(4);
            nextDue = rows.wasNull() ? null : Duration.ofMillis((long) Math.ceil(Math.max(0, seconds) * 1000));
        }
        return new Result(List.copyOf(queues), nextDue);
    }
}
