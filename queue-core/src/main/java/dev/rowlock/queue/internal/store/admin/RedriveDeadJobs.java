package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Gives dead jobs another life: to waiting, due now, with fresh attempts and their error history. */
public final class RedriveDeadJobs {

    private static final String MOVE = """
                RETURNING *
            ), moved AS (
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, since, timeout_millis, rank, attempt, crashes, max_retries,
                                             reason, queue, type, payload, headers, errors)
                SELECT id, statement_timestamp(), enqueued_at, statement_timestamp(), timeout_millis, rank, 0, 0, max_retries,
                       'redrive', queue, type, payload, headers, errors
                  FROM redriven
            )
            SELECT count(*), coalesce(max(id), 0) FROM redriven
            """;

    private static final String ONE = "WITH redriven AS (DELETE FROM rowlock.dead WHERE id = ?" + MOVE;

    // A sweep goes on behind the last id that it moved: a job that fails again at once would otherwise be moved for
    // ever.
    private static final String SOME = """
            WITH redriven AS (
                DELETE FROM rowlock.dead
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.dead WHERE queue = ? AND id > ? AND id <= ?
                        ORDER BY queue, id LIMIT ?
                          FOR UPDATE SKIP LOCKED))
            """ + MOVE;

    /** What one batch of a sweep did; {@code lastId} is where the next goes on. */
    public record Batch(int jobs, long lastId) {}

    private final Database database;
    private final String one;
    private final String some;

    public RedriveDeadJobs(Database database) {
        this.database = database;
        this.one = database.sql(ONE);
        this.some = database.sql(SOME);
    }

    /** Joins the caller's transaction. Returns whether the job was dead. */
    public boolean one(long id) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, one)) {
                statement.setLong(1, id);
                return read(statement).jobs() == 1;
            }
        });
    }

    /** Joins the caller's transaction. Moves dead jobs of the queue with ids behind {@code after}, up to {@code last}. */
    public Batch some(String queue, long after, long last, int limit) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, some)) {
                statement.setString(1, queue);
                statement.setLong(2, after);
                statement.setLong(3, last);
                statement.setInt(4, limit);
                return read(statement);
            }
        });
    }

    private static Batch read(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return new Batch(rows.getInt(1), rows.getLong(2));
        }
    }
}
