package dev.rowlock.queue.internal.store.admin;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Deletes dead jobs, and writes down how many, so that the books balance. */
public final class DiscardDeadJobs {

    /** The middle of a statement that has deleted dead jobs as {@code discarded}. */
    public static final String NOTED = """
            noted AS (
                INSERT INTO rowlock.dropped (dropped_at, room, jobs)
                SELECT statement_timestamp(), 'dead', count(*) FROM discarded HAVING count(*) > 0
            )
            """;

    private static final String ONE = """
            WITH discarded AS (
                DELETE FROM rowlock.dead WHERE id = ?
                RETURNING id
            ), """ + NOTED + AuditNote.of("discarded") + "SELECT count(*) FROM discarded";

    private static final String OLD = """
            WITH discarded AS (
                DELETE FROM rowlock.dead
                 WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM rowlock.dead WHERE died_at < statement_timestamp() - ? * interval '1 ms'
                        ORDER BY died_at LIMIT ?
                          FOR UPDATE SKIP LOCKED))
                RETURNING id
            ), """ + NOTED + "SELECT count(*) FROM discarded";

    private final Database database;

    public DiscardDeadJobs(Database database) {
        this.database = database;
    }

    /**
     * Joins the caller's transaction. Returns whether the job was dead.
     *
     * @param note null: nobody is named
     */
    public boolean one(long id, @Nullable AuditNote note) {
        return discard(ONE, statement -> {
                    statement.setLong(1, id);
                    AuditNote.set(statement, 2, note);
                })
                == 1;
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
                return (int) Affected.count(statement);
            }
        });
    }

    @FunctionalInterface
    private interface Parameters {
        void set(PreparedStatement statement) throws SQLException;
    }
}
