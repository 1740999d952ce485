package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.time.Duration;

/** Deletes dead jobs, and writes down how many, so that the books balance. */
public final class DiscardDeadJobs {

    private static final String NOTE = """
                RETURNING 1
            ), noted AS (
                INSERT INTO rowlock.dropped (dropped_at, room, jobs)
                SELECT statement_timestamp(), 'dead', count(*) FROM discarded HAVING count(*) > 0
            )
            SELECT count(*) FROM discarded
            """;

    private static final String ONE = "WITH discarded AS (DELETE FROM rowlock.dead WHERE id = ?" + NOTE;

    private static final String SOME = """
            WITH discarded AS (
                DELETE FROM rowlock.dead
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.dead WHERE queue = ? AND id <= ?
                        ORDER BY queue, id LIMIT ?
                          FOR UPDATE SKIP LOCKED))
            """ + NOTE;

    private static final String OLD = """
            WITH discarded AS (
                DELETE FROM rowlock.dead
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.dead WHERE died_at < statement_timestamp() - ? * interval '1 ms'
                        ORDER BY died_at LIMIT ?
                          FOR UPDATE SKIP LOCKED))
            """ + NOTE;

    private final Database database;

    public DiscardDeadJobs(Database database) {
        this.database = database;
    }

    /** Joins the caller's transaction. Returns whether the job was dead. */
    public boolean one(long id) {
        return discard(ONE, statement -> statement.setLong(1, id)) == 1;
    }

    /** Joins the caller's transaction. Returns how many of the queue's dead jobs up to this id were deleted. */
    public int some(String queue, long upToId, int limit) {
        return discard(SOME, statement -> {
            statement.setString(1, queue);
            statement.setLong(2, upToId);
            statement.setInt(3, limit);
        });
    }

    /** Returns how many jobs that died longer ago than this were deleted. */
    public int olderThan(Duration age, int limit) {
        return discard(OLD, statement -> {
            statement.setLong(1, age.toMillis());
            statement.setInt(2, limit);
        });
    }

    private int discard(String text, Parameters parameters) {
        return database.joined(connection -> {
            try (PreparedStatement statement = UncachedPlan.prepare(connection, database.sql(text))) {
                parameters.set(statement);
                try (var rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getInt(1);
                }
            }
        });
    }

    @FunctionalInterface
    private interface Parameters {
        void set(PreparedStatement statement) throws java.sql.SQLException;
    }
}
