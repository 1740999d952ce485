package dev.rowlock.queue.internal.store.cleanup;

import dev.rowlock.queue.internal.store.Columns;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.UncachedPlan;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the large payloads whose jobs are in no room any more, a stretch of the table at a time, in the order of ids.
 *
 * <p>A payload comes with its job, in one statement, and a move is one statement too. So a snapshot that has the payload
 * has the job in exactly one room, unless the job is gone; and a job that is gone never comes back.
 */
public final class RemoveLeftoverPayloads {

    // Rooms are looked into one after the other until the job is found. One look by primary key for each, as in
    // EnqueueUniqueJobs; of a done job's partitions, all up to its own.
    private static final String FOUND_JOB = """
                   coalesce((SELECT r.id FROM rowlock.running r WHERE r.id = p.job_id),
                            (SELECT r.id FROM rowlock.ready r WHERE r.id = p.job_id),
                            (SELECT w.id FROM rowlock.waiting w WHERE w.id = p.job_id),
                            (SELECT d.id FROM rowlock.dead d WHERE d.id = p.job_id),
                            (SELECT d.id FROM rowlock.done d WHERE d.id = p.job_id LIMIT 1))
            """;

    private static final String LOOK = """
            SELECT count(*), max(job_id), array_agg(job_id) FILTER (WHERE found_job IS NULL)
              FROM (SELECT p.job_id,
            """ + FOUND_JOB + """
                           AS found_job
                      FROM rowlock.payload p
                     WHERE p.job_id > ?
                     ORDER BY p.job_id LIMIT ?) AS looked
            """;

    // Looks once more: a partition of done that was attached between the first statement's plan and its snapshot is not
    // in that plan, and jobs that have just gone there seem to be nowhere.
    private static final String REMOVE = """
            DELETE FROM rowlock.payload p
             WHERE p.job_id = ANY (?) AND
            """ + FOUND_JOB + " IS NULL";

    /** Before all payloads. */
    public static final long FRONT = Long.MIN_VALUE;

    /**
     * What became of a stretch.
     *
     * @param end the last id that was looked at; null if there are no more behind it
     */
    public record Stretch(int removed, @Nullable Long end) {}

    private record Looked(int payloads, long last, long @Nullable [] leftovers) {}

    private final Database database;
    private final String look;
    private final String remove;

    public RemoveLeftoverPayloads(Database database) {
        this.database = database;
        this.look = database.sql(LOOK);
        this.remove = database.sql(REMOVE);
    }

    /** Looks at so many payloads behind the id, and removes those whose jobs are gone. */
    public Stretch run(long behind, int limit) {
        return database.alone(connection -> {
            Looked looked = look(connection, behind, limit);
            int removed = looked.leftovers() == null ? 0 : remove(connection, looked.leftovers());
            return new Stretch(removed, looked.payloads() < limit ? null : looked.last());
        });
    }

    private Looked look(Connection connection, long behind, int limit) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, look)) {
            statement.setLong(1, behind);
            statement.setInt(2, limit);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Looked(row.getInt(1), row.getLong(2), Columns.numbers(row, 3));
            }
        }
    }

    private int remove(Connection connection, long[] leftovers) throws SQLException {
        try (PreparedStatement statement = UncachedPlan.prepare(connection, remove)) {
            statement.setObject(1, leftovers);
            return statement.executeUpdate();
        }
    }
}
